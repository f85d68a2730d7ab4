"""Metrics in log lines, in CloudWatch's embedded metric format.

A line stays an ordinary line of JSON; `_aws` beside its fields says which of them are metrics. Nothing is
sent to CloudWatch directly.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

NAMESPACE = "SlackWebReader"
UNITS = {"seconds": "Seconds"}
"""The units of metrics that are not counts."""


def measured(
    fields: Mapping[str, Any], *metrics: str, by: Sequence[str] = (), at: datetime, stage: str = ""
) -> dict[str, Any]:
    """The fields of a log line, with `metrics` declared as metrics, also by the given dimensions.

    Where there is a stage, it is a dimension of each: stages of one account share a namespace. CloudWatch
    refuses dimensions without a value.
    """
    staged = ["stage"] if stage else []
    definition = {
        "Namespace": NAMESPACE,
        "Dimensions": [staged, [*staged, *by]] if by else [staged],
        "Metrics": [{"Name": name, "Unit": UNITS.get(name, "Count")} for name in metrics],
    }
    milliseconds = int(at.timestamp() * 1000)
    fields = {**fields, "stage": stage} if stage else fields
    return {**fields, "_aws": {"Timestamp": milliseconds, "CloudWatchMetrics": [definition]}}
