"""Prints every figure, and the questions whose first passage is not the right one: `make eval`."""

import sys

from tests.evals.corpus import exports
from tests.evals.figures import figures


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


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
