"""What the engine and the agent say, in the language of the question (`language.py`).

`wording.note(code)` is `note` of `messages_ja` or of `messages_en`, which have the same names.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fetcher.wording.language import current_language

if TYPE_CHECKING:
    from fetcher.wording.messages_ja import *  # noqa: F403 - the types of both; a test compares them
else:

    def __getattr__(name: str) -> Any:
        # Imported only now: the catalogues use errors, and modules beside those use this one.
        return getattr(import_module(f"fetcher.wording.messages_{current_language()}"), name)
