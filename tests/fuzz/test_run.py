"""A target is handed to Atheris, and where Atheris is missing that is said."""

import sys
from contextlib import contextmanager
from types import ModuleType

import pytest

from tests.fuzz import run, urls


class FakeAtheris(ModuleType):
    """As much of Atheris as is used."""

    def __init__(self) -> None:
        super().__init__("atheris")
        self.told: list[object] = []

    @contextmanager
    def instrument_imports(self, include):
        self.told.append(include)
        yield

    def Setup(self, arguments, check):  # noqa: N802  # its name there
        self.told += [arguments, check]

    def Fuzz(self):  # noqa: N802
        self.told.append("fuzzing")


def test_a_target_is_instrumented_and_fuzzed(monkeypatch):
    """The product is watched, the options are libFuzzer's."""
    atheris = FakeAtheris()
    monkeypatch.setitem(sys.modules, "atheris", atheris)
    run.main(["urls", "-max_total_time=1"])
    assert atheris.told == [run.PRODUCT, ["urls", "-max_total_time=1"], urls.check, "fuzzing"]


def test_a_machine_without_atheris_is_told_so(monkeypatch):
    """One sentence, and no trace."""
    monkeypatch.setitem(sys.modules, "atheris", None)
    with pytest.raises(SystemExit) as ended:
        run.main(["urls"])
    assert ended.value.code == run.MISSING
