"""Log lines that CloudWatch reads as metrics."""

from datetime import UTC, datetime

from slackapp.metrics import measured

AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


def test_a_line_names_its_metrics_with_their_units():
    """As the embedded metric format has it: every metric is a field of the line itself."""
    line = measured(
        {"answers": 1, "seconds": 4.2, "kind": "mention"}, "answers", "seconds", by=["kind"], at=AT
    )
    definition = line["_aws"]["CloudWatchMetrics"][0]
    assert definition["Metrics"] == [
        {"Name": "answers", "Unit": "Count"},
        {"Name": "seconds", "Unit": "Seconds"},
    ]
    assert definition["Dimensions"] == [[], ["kind"]]
    assert {metric["Name"] for metric in definition["Metrics"]} <= line.keys()
    assert line["_aws"]["Timestamp"] == 1794821400000


def test_stages_of_one_account_are_told_apart():
    """A stage is a field of the line, and a dimension of each metric."""
    line = measured({"answers": 1, "kind": "mention"}, "answers", by=["kind"], at=AT, stage="prod")
    assert line["stage"] == "prod"
    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["stage"], ["stage", "kind"]]


def test_without_dimensions_a_metric_stands_for_all():
    assert measured({"sweeps": 1}, "sweeps", at=AT)["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]]
