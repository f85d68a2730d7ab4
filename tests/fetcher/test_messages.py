"""Every error has a polite sentence."""

import pytest

from fetcher import wording
from fetcher.codes import AgentCode, ErrorCode
from tests.fetcher.samples import SAMPLES


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_code_has_a_sentence_for_people(code):
    text = wording.failure(SAMPLES[code])
    assert text.endswith("。")
    assert "ます" in text or "ません" in text or "ました" in text or "ください" in text


@pytest.mark.parametrize("code", sorted(set(ErrorCode) - {ErrorCode.INVALID_SCHEME}))
def test_every_page_that_cannot_be_read_comes_with_what_to_do(code):
    """The sentence on schemes says which links can be read; that is enough."""
    assert wording.failure(SAMPLES[code]).endswith("ください。")


@pytest.mark.parametrize("code", list(AgentCode))
def test_every_code_of_the_agent_has_a_sentence_too(code):
    assert wording.note(code).endswith("。")


@pytest.mark.parametrize("code", list(ErrorCode))
def test_no_sentence_gives_away_an_inner_address(code):
    """E18."""
    assert "10.0.0.5" not in wording.failure(SAMPLES[code])
