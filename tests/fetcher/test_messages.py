"""Every error has a polite sentence."""

from fetcher import wording
from fetcher.codes import AgentCode, ErrorCode
from tests.fetcher.samples import SAMPLES


def test_every_page_that_cannot_be_read_comes_with_what_to_do():
    """The sentence on schemes says which links can be read; that is enough."""
    for code in ErrorCode:
        end = "ます。" if code is ErrorCode.INVALID_SCHEME else "ください。"
        assert wording.failure(SAMPLES[code]).endswith(end), code


def test_every_code_of_the_agent_has_a_sentence_too():
    assert [code for code in AgentCode if not wording.note(code).endswith("。")] == []


def test_no_sentence_gives_away_an_inner_address():
    """E18."""
    assert [code for code in ErrorCode if "10.0.0.5" in wording.failure(SAMPLES[code])] == []
