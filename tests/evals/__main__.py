"""Prints every figure, and the questions whose first passage is not the right one: `make eval`.

With `--online` the questions go to the model of the environment, or to a record of it (`--replay`).
"""

import argparse
import json
import sys
from pathlib import Path

from fetcher import configuration
from fetcher.agent.model.claude import open_model
from tests.evals.corpus import exports
from tests.evals.exchanges import Recorder, replay_of
from tests.evals.figures import figures
from tests.evals.loop_figures import loop_figures
from tests.evals.online import run


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def print_figures() -> int:
    for way, rows in figures().items():
        say(f"\n{way}")
        for name, figure in rows.items():
            say(f"  {name:12} {figure.asked:4}  hit@1 {figure.hit_at_1:.2f}  hit@3 {figure.hit_at_3:.2f}")
        for missed in rows["all"].missed:
            say(f"    first passage wrong: {missed}")
    wanted = exports()
    inexact = [export for export in wanted if not export.is_exact]
    say(f"\nexports\n  exact {len(wanted) - len(inexact)} of {len(wanted)}")
    for export in inexact:
        say(f"    not exact: {export.page}: {export.text or export.arguments}")
    loop = loop_figures()
    say(f"\nthe loop, with a model that needs no key\n  {loop.asked} questions, {loop.calls:.2f} calls and ")
    say(f"  {loop.tokens:.0f} tokens sent a question; the known passage was shown for {loop.shown:.2f}")
    return 0


def ask_online(options: argparse.Namespace) -> int:
    """Ask and judge; write the results, and the exchanges where they shall be kept."""
    settings = configuration.load_agent()
    model = replay_of(options.replay) if options.replay else open_model(settings)
    if model is None:
        say("No model is set: set ANTHROPIC_API_KEY or BEDROCK_MODEL_ID, or give a record by --replay FILE.")
        return 2
    recorder = Recorder(model)
    results = run(recorder, settings, options.limit)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if options.record:
        options.record.write_text("".join(f"{line}\n" for line in recorder.lines), "utf-8")
    say(f"{results['asked']} asked, {results['judged']} judged; {options.out}")
    for name, share in results["shares"].items():
        say(f"  {name:10} {share:.2f}")
    say(f"  {results['calls_a_question']:.2f} calls, {results['tokens_a_question']:.0f} tokens a question")
    return 0 if results["judged"] else 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.evals", description=__doc__)
    parser.add_argument("--online", action="store_true", help="ask the model of the environment")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the exchanges")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="ask a record instead of the model")
    parser.add_argument("--limit", type=int, metavar="N", help="ask about so many of the questions")
    parser.add_argument("--out", type=Path, default=Path("build/evals/online.json"), metavar="FILE")
    options = parser.parse_args(arguments)
    return ask_online(options) if options.online or options.replay else print_figures()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
