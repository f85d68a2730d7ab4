"""Every kept input holds its target's promises, on machines without Atheris too."""

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz.draws import Draws
from tests.fuzz.targets import CORPUS, TARGETS, check_of

FILES = [path for target in TARGETS for path in sorted((CORPUS / target).iterdir())]


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs_hold(target):
    """What was found once, and what every run begins with, is checked in every test run."""
    for path in sorted((CORPUS / target).iterdir()):
        check_of(target)(path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes_are_an_input(target):
    """A target takes whatever a fuzzer thinks of."""
    for data in (b"", b"\x00", b"\xff", b"\n", b"a" * 300, bytes(range(256))):
        check_of(target)(data)


def test_the_corpus_is_small_and_belongs_to_targets():
    """It is read by people, and cloned by everybody."""
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)
    sizes = [path.stat().st_size for path in FILES]
    assert max(sizes) <= command.LONGEST_INPUT
    assert sum(sizes) <= 200_000


def test_draws_end_in_nothing():
    """Too few bytes are zeros and empty texts, so that every prefix of an input is one."""
    draws = Draws(b"\x05ab")
    assert draws.text() == "ab"
    assert (draws.number(70_000), draws.text(), draws.rest(), draws.left) == (0, "", "", 0)


def test_edits_leave_the_original_alone():
    """A payload that one input has changed is whole for the next."""
    payload = {"event": {"user": "U1", "files": [{"name": "a"}]}}
    changed = [Draws(bytes([7, *range(seed, seed + 60)])).edited(payload) for seed in range(50)]
    assert payload == {"event": {"user": "U1", "files": [{"name": "a"}]}}
    assert any(other != payload for other in changed)


@pytest.mark.parametrize(
    ("log", "figures"),
    [
        (
            "#2\tINITED cov: 9 ft: 9 corp: 1/1b\n#149631\tDONE   cov: 21 ft: 21 corp: 3/4b exec/s: 1\n",
            (149631, 21),
        ),
        ("Traceback (most recent call last):\n", (0, 0)),
    ],
)
def test_figures_are_those_of_the_last_line_that_has_them(log, figures):
    """A run that never began is told as one."""
    assert command.figures(log) == figures


def test_an_unknown_target_is_a_usage_error(capsys):
    """Nothing is fuzzed by a name that was misspelt."""
    with pytest.raises(SystemExit) as ended:
        command.main(["url"])
    assert ended.value.code == 2
    assert "urls" in capsys.readouterr().err
