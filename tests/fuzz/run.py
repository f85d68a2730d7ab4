"""One target under Atheris, in a process of its own: `python -m tests.fuzz.run TARGET [option …]`."""

import importlib
import sys

from tests.fuzz.targets import check_of

PRODUCT = ["fetcher", "slackapp"]
MISSING = "Atheris is not installed here: make fuzz does so, on machines that it has a wheel for."


def main(arguments: list[str]) -> None:
    """Fuzzes until a promise is broken or the options say that it is enough; never returns."""
    try:
        atheris = importlib.import_module("atheris")  # by name: type checkers have no need of it
    except ImportError:
        sys.exit(MISSING)
    target, *options = arguments
    with atheris.instrument_imports(include=PRODUCT):
        check = check_of(target)
    atheris.Setup([target, *options], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
