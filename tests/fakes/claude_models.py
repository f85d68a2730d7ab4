"""What each model takes and does, as far as it differs from model to model.

Authorities: Anthropic's pages "Migrating to Claude Sonnet 5.5", "What's new in Claude Sonnet 5.5" and those
of Opus 5, Opus 5.5 and Haiku 5.5, "Adaptive thinking", "Structured outputs" and "Claude on Amazon Bedrock
(Opus 4.6 and earlier)", and the SDK's `types/thinking_types.py`. How much a model thinks at an effort is
made up: it only has to be counted. That Sonnet 5 and Haiku 5.5 refuse `disabled` at the efforts of Opus 5
rests on memory.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fakes.search_results import Body

SDK_VERSION = "2026-10-21"
"""`anthropic/_constants.py`; the SDK sends it to Bedrock too."""
BEDROCK_VERSION = "bedrock-2023-05-31"
ALL_EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
THOUGHTS = {"low": 40, "medium": 80, "high": 160, "xhigh": 320, "max": 640}
"""Tokens of a thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """A family of models."""

    pattern: str
    thinks: bool = False
    """Without being asked to."""
    thinking: frozenset[str] = frozenset()
    """The values of `thinking.type` that it takes."""
    efforts: frozenset[str] = frozenset()
    strict: bool = True
    legacy: bool = False
    """Refuses the version that the SDK sends to Bedrock."""
    answers_freely: bool = False
    """Cannot be forced to call a tool."""


MODELS = (
    KnownModel(
        pattern=r"claude-sonnet-5-5",
        thinks=True,
        thinking=frozenset({"adaptive", "between_tools"}),
        efforts=ALL_EFFORTS,
        answers_freely=True,
    ),
    KnownModel(
        pattern=r"claude-(?:opus-5-5|fable|mythos)",
        thinks=True,
        thinking=frozenset({"adaptive"}),
        efforts=ALL_EFFORTS,
        answers_freely=True,
    ),
    KnownModel(
        pattern=r"claude-(?:haiku-5-5|sonnet-5|opus-5)(?![-\d])",
        thinks=True,
        thinking=frozenset({"adaptive", "disabled"}),
        efforts=ALL_EFFORTS,
    ),
    KnownModel(
        pattern=r"claude-(?:sonnet|opus)-4-6",
        thinking=frozenset({"adaptive", "enabled", "disabled"}),
        efforts=ALL_EFFORTS - {"xhigh"},
        legacy=True,
    ),
    KnownModel(
        pattern=r"claude-(?:sonnet|haiku)-4-5", thinking=frozenset({"enabled", "disabled"}), legacy=True
    ),
    KnownModel(pattern=r"claude-3", strict=False, legacy=True),
)
UNKNOWN = KnownModel(pattern="", thinking=frozenset({"adaptive", "disabled"}), efforts=ALL_EFFORTS)


def model_named(name: str) -> KnownModel:
    return next((model for model in MODELS if re.search(model.pattern, name)), UNKNOWN)


def thought_tokens(model: KnownModel, body: Body) -> int:
    """How long the model thinks before it answers; 0 where it does not."""
    kind = (body.get("thinking") or {}).get("type", "adaptive" if model.thinks else "disabled")
    if kind not in ("adaptive", "enabled"):
        return 0
    return THOUGHTS[(body.get("output_config") or {}).get("effort") or "high"]


def model_complaints(name: str, body: Body, *, on_bedrock: bool) -> Iterator[str]:
    """What a request asks for that its model refuses."""
    model = model_named(name)
    thinking = (body.get("thinking") or {}).get("type")
    effort = (body.get("output_config") or {}).get("effort")
    if thinking and thinking not in model.thinking:
        yield f"thinking.type: {thinking} is not supported by this model"
    if effort and effort not in model.efforts:
        yield f"output_config.effort: {effort} is not supported by this model"
    if model.thinks and thinking in ("between_tools", "disabled") and effort in ("xhigh", "max"):
        yield f"thinking.type: {thinking} is not supported at effort {effort}"
    if not model.strict and any(tool.get("strict") for tool in body.get("tools", ())):
        yield "tools.strict: not supported by this model"
    if model.answers_freely and (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield "tool_choice: forced tool use is not supported by this model"
    if on_bedrock and any(tool.get("type", "custom") != "custom" for tool in body.get("tools", ())):
        yield "tools: server tools are not available on Bedrock"
    version = body.get("anthropic_version")
    if on_bedrock and version not in ({BEDROCK_VERSION} if model.legacy else {BEDROCK_VERSION, SDK_VERSION}):
        yield f"anthropic_version: {version} is not supported by this model"
