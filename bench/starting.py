"""The time to start: importing the engine, and importing the model's SDK."""

import subprocess
import sys
from statistics import median

from bench.figures import spread

RUNS = 5
CODE = "import time; started = time.perf_counter(); import {}; print(time.perf_counter() - started)"


def report() -> str:
    """A Markdown table of import times, taken in turns."""
    runs = [(_time_import("fetcher.web.tool"), _time_import("anthropic")) for _ in range(RUNS)]
    engine, sdk = (median(run[number] for run in runs) for number in (0, 1))
    ratios = [first / second for first, second in runs]
    return "\n".join(
        [
            "| import | s (median) | of the SDK's | spread |",
            "|---|--:|--:|---|",
            f"| `fetcher.web.tool` | {engine:.2f} | {engine / sdk:.2f} | {spread(ratios)} |",
            f"| `anthropic` | {sdk:.2f} | 1.00 | |",
        ]
    )


def _time_import(module: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    print(report())
