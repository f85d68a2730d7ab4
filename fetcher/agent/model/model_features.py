"""What each Claude model takes: effort, ways to think, strict tools, and the version that Bedrock wants.

The authorities are Anthropic's pages "Migrating to Claude Sonnet 5.5", "What's new in Claude Opus 5" and
"… Opus 5.5", "Effort", "Adaptive thinking", "Structured outputs" and "Claude on Amazon Bedrock (Opus 4.6 and
earlier)".
"""

import logging
import re
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)

LEGACY_BEDROCK_VERSION = "bedrock-2023-05-31"
"""For models that know no later version; the SDK sends the API's newest unless the body has another."""
_CURRENT = re.compile(r"claude-[a-z]+-(?:[5-9]|4-[7-9])(?![0-9])")
"""Models that know the newest version on Bedrock. The name of a custom profile may mean any model."""

_ALL_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_ALWAYS_THINKING = ("xhigh", "max")
"""Efforts at which Sonnet 5.5 refuses `between_tools`, and Opus 5 `disabled`. Without the field, models that
think by themselves do so, and older ones do not: that is never refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFeatures:
    """What a model takes beyond what every model takes."""

    efforts: tuple[str, ...] = _ALL_EFFORTS
    thinking: tuple[str, ...] = ("adaptive", "disabled")
    strict: bool = True


_NONE = ModelFeatures(efforts=(), thinking=(), strict=False)
FEATURES = {
    r"claude-(?:2|3|instant)": _NONE,
    r"claude-(?:opus|sonnet)-4(?!-[5-9](?!\d))": _NONE,
    r"claude-(?:sonnet|haiku)-4-5": ModelFeatures(efforts=(), thinking=("disabled",)),
    r"claude-opus-4-5": ModelFeatures(efforts=("low", "medium", "high"), thinking=("disabled",)),
    r"claude-(?:opus|sonnet)-4-6": ModelFeatures(efforts=("low", "medium", "high", "max")),
    r"claude-sonnet-5-5": ModelFeatures(thinking=("adaptive", "between_tools")),
    r"claude-(?:opus-5-5|fable|mythos)": ModelFeatures(thinking=("adaptive",)),
    r"claude-": ModelFeatures(),
    r"": _NONE,
}
"""By the first pattern that a model's name has; a name without `claude` may mean any model."""


def features_of(name: str) -> ModelFeatures:
    return next(features for pattern, features in FEATURES.items() if re.search(pattern, name))


def request_fields(name: str, *, effort: str, thinking: str, on_bedrock: bool) -> dict[str, Any]:
    """The fields that every request to a model has. What it does not take is left out, and logged."""
    features = features_of(name)
    fields: dict[str, Any] = {}
    ways = features.thinking
    if effort in features.efforts:
        fields["output_config"] = {"effort": effort}
        ways = tuple(way for way in ways if way == "adaptive" or effort not in _ALWAYS_THINKING)
    if thinking in ways:
        fields["thinking"] = {"type": thinking}
    if on_bedrock and not _CURRENT.search(name):
        fields["anthropic_version"] = LEGACY_BEDROCK_VERSION
    for setting, value, taken in (
        ("AGENT_EFFORT", effort, features.efforts),
        ("AGENT_THINKING", thinking, ways),
    ):
        if value and value not in taken:
            log.warning(
                "%s=%s is not sent: %s does not take it, or not at this effort",
                *(setting, value, name),
                extra={"fields": {"event": "model_setting_left_out", "setting": setting, "model": name}},
            )
    return fields
