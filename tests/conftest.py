"""The test ground: a small internet on loopback and a clock that stands still."""

from collections.abc import Iterator

import pytest

from tests.fakes.clock import FakeClock
from tests.fakes.internet import FakeInternet
from tests.fakes.isolation import forbid_the_outside
from tests.fakes.web import FakeWeb


def pytest_configure() -> None:
    forbid_the_outside()


@pytest.fixture(scope="session")
def running_web() -> Iterator[FakeWeb]:
    """The one server of a test run; tests take `internet`, which leaves it clean."""
    with FakeWeb() as web:
        yield web


@pytest.fixture
def internet(running_web: FakeWeb) -> Iterator[FakeInternet]:
    """An empty internet; a test that lets a forbidden address be dialled fails here at the latest."""
    with FakeInternet(running_web) as net:
        yield net
        running_web.reset()
        assert net.dialer.forbidden == []


@pytest.fixture
def clock() -> FakeClock:
    """A clock at noon of 10 January 2026, UTC."""
    return FakeClock()
