"""What the SDK does with sockets that it does not need any more."""

import pytest

UNCLOSED = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""The SDK leaves a socket to the garbage collector if the handshake is refused or breaks off."""
