"""The workers of all teams: one of each lives on, the other is killed now and then and replaced at once.

All of them stand still now and then.
"""

import random
from collections import Counter
from dataclasses import dataclass, field

from tests.soak.slack import SoakSlack, Team
from tests.soak.worker import Plan, Worker, prepare

TERMINATED = 0.25
"""How often a worker is asked to end instead of being killed."""


@dataclass(slots=True, kw_only=True)
class Post:
    """A place for one worker."""

    team: Team
    plan: Plan
    name: str
    mortal: bool
    worker: Worker | None = None
    number: int = 0


@dataclass(slots=True, kw_only=True)
class Crew:
    """Starts, kills and replaces."""

    slack: SoakSlack
    posts: list[Post]
    chance: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    complaints: list[str] = field(default_factory=list)
    _leaving: list[Worker] = field(default_factory=list)
    _paused: list[Worker] = field(default_factory=list)

    def start(self) -> None:
        prepare()
        for post in self.posts:
            self._fill(post)
        for post in self.posts:
            if post.worker is None or not post.worker.wait():
                raise RuntimeError(f"the worker {post.name} did not begin")
        self.look()

    def strike(self) -> None:
        """Ends one of the mortal workers, and puts another in its place."""
        post = self.chance.choice([post for post in self.posts if post.mortal])
        worker = post.worker
        assert worker is not None
        if worker in self._paused:
            return
        if self.chance.random() < TERMINATED:
            worker.ask_to_end()
            self._leaving.append(worker)
            self.kills["SIGTERM"] += 1
        else:
            worker.kill()
            self.kills["SIGKILL"] += 1
        self._fill(post)
        self.look()

    def pause(self) -> Worker | None:
        """Lets one worker of any kind stand still, unless another one of its team does."""
        post = self.chance.choice(self.posts)
        worker = post.worker
        teams = [each.team for each in self.posts if each.worker in self._paused]
        if worker is None or worker.url is None or post.team in teams:
            return None
        worker.pause()
        self._paused.append(worker)
        return worker

    def go_on(self, worker: Worker) -> None:
        if worker in self._paused:
            self._paused.remove(worker)
            worker.go_on()

    def wake_all(self) -> None:
        for worker in list(self._paused):
            self.go_on(worker)

    def look(self) -> None:
        """Tells Slack who listens where, and replaces whoever ended unasked."""
        for post in self.posts:
            if post.worker is not None and not post.worker.alive:
                self.complaints.append(f"the worker {post.worker.name} ended by itself")
                self._fill(post)
        doors: dict[str, list[str]] = {}
        for post in self.posts:
            if post.worker is not None and post.worker.url:
                doors.setdefault(post.team.app.app_id, []).append(post.worker.url)
        self.slack.doors = doors

    def end(self) -> None:
        """Asks everybody to end; whoever does not is killed, and it is said."""
        workers = [*self._leaving, *(post.worker for post in self.posts if post.worker)]
        for worker in workers:
            worker.ask_to_end()
        for worker in workers:
            if not worker.ended():
                self.complaints.append(f"the worker {worker.name} did not end well when it was asked to")
                worker.kill()

    def abandon(self) -> None:
        """Kills whoever is left."""
        for worker in [*self._leaving, *(post.worker for post in self.posts if post.worker)]:
            worker.kill()

    def _fill(self, post: Post) -> None:
        post.number += 1
        post.worker = Worker(post.plan, f"{post.name}-{post.number}")
