"""What the engine and the agent say to people, in the language of the question (`language.py`).

`wording.note(code)` is `note` of `messages.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fetcher.wording.messages import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        # Imported only now: the catalogue uses errors, and modules beside those use this one.
        return getattr(import_module("fetcher.wording.messages"), name)
