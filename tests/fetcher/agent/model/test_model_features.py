"""What each model is sent."""

import pytest

from fetcher.agent.model.model_features import features_of, request_fields
from tests.fakes.claude_models import model_complaints


@pytest.mark.parametrize(
    ("name", "efforts", "thinking", "strict"),
    [
        ("claude-sonnet-5-5", 5, ("adaptive", "between_tools"), True),
        ("jp.anthropic.claude-sonnet-5-5", 5, ("adaptive", "between_tools"), True),
        ("claude-opus-5-5", 5, ("adaptive",), True),
        ("claude-haiku-5-5", 5, ("adaptive", "disabled"), True),
        ("jp.anthropic.claude-sonnet-4-6", 4, ("adaptive", "disabled"), True),
        ("jp.anthropic.claude-sonnet-4-5-20250929-v1:0", 0, ("disabled",), True),
        ("anthropic.claude-opus-4-1-20250805-v1:0", 0, (), False),
        ("claude-sonnet-4-20250514", 0, (), False),
        ("apac.anthropic.claude-3-7-sonnet-20250219-v1:0", 0, (), False),
        ("arn:aws:bedrock:ap-northeast-1:1:application-inference-profile/abc", 0, (), False),
    ],
)
def test_a_model_takes_what_it_takes(name, efforts, thinking, strict):
    features = features_of(name)
    assert (len(features.efforts), features.thinking, features.strict) == (efforts, thinking, strict)


@pytest.mark.parametrize(
    ("name", "legacy"),
    [
        ("jp.anthropic.claude-sonnet-5-5", False),
        ("jp.anthropic.claude-sonnet-5", False),
        ("anthropic.claude-opus-4-8", False),
        ("anthropic.claude-opus-4-7", False),
        ("anthropic.claude-opus-4-6-v1", True),
        ("anthropic.claude-opus-4-5-20251101-v1:0", True),
        ("anthropic.claude-sonnet-4-20250514-v1:0", True),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", True),
        ("arn:aws:bedrock:ap-northeast-1:1:application-inference-profile/abc", True),
    ],
)
def test_old_and_unknown_models_on_bedrock_get_the_old_version(name, legacy):
    fields = request_fields(name, effort="", thinking="", on_bedrock=True)
    assert fields == ({"anthropic_version": "bedrock-2023-05-31"} if legacy else {})
    assert request_fields(name, effort="", thinking="", on_bedrock=False) == {}


@pytest.mark.parametrize(
    ("name", "effort", "thinking", "sent"),
    [
        ("claude-sonnet-5-5", "high", "between_tools", True),
        ("claude-sonnet-5-5", "xhigh", "between_tools", False),
        ("claude-opus-5", "high", "disabled", True),
        ("claude-opus-5", "max", "disabled", False),
        ("claude-opus-5", "max", "adaptive", True),
        ("claude-sonnet-4-5", "max", "disabled", True),  # without an effort, since it takes none
    ],
)
def test_at_the_highest_efforts_thinking_is_not_limited(name, effort, thinking, sent):
    fields = request_fields(name, effort=effort, thinking=thinking, on_bedrock=False)
    assert ("thinking" in fields) == sent
    assert next(model_complaints(name, fields, on_bedrock=False), None) is None
