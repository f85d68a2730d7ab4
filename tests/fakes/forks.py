"""Processes that are there in a moment: they are forked from one that has imported the app already."""

import multiprocessing

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["tests.fakes.slack_worker", "tests.fakes.lambda_fork", "tests.fakes.command_line"]
)
