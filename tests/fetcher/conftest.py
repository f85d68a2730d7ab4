"""What tests of the command line share."""

import os

import pytest

from tests.fakes.internet import FakeInternet


@pytest.fixture
def reach(internet: FakeInternet, tmp_path) -> dict[str, str]:
    """An environment in which the command line may read the fake web's port on loopback."""
    return {
        "PATH": os.environ["PATH"],
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{internet.web.port}]",
        "WEBFETCH_CACHE_DIR": str(tmp_path / "cache"),
    }
