"""What tests of the browser share."""

import pytest

from fetcher.web.browser import process


@pytest.fixture
def groups(monkeypatch):
    """The process groups that a test starts, in order; none may be alive when it ends."""
    started: list[process.Chromium] = []
    honest = process.start

    def recorded(*arguments):
        started.append(honest(*arguments))
        return started[-1]

    monkeypatch.setattr(process, "start", recorded)
    yield started
    assert [group.members for group in started] == [[]] * len(started)
