"""What the engine and the agent say, in the language of the question (`language.py`).

`wording.note(code)` is `note` of `fetcher.messages_ja` or of `fetcher.messages_en`, which have the same
names.
"""

from typing import TYPE_CHECKING, Any

from fetcher.wording.language import Language, current_language

if TYPE_CHECKING:
    from fetcher.messages_ja import *  # noqa: F403 - the types of both catalogues; a test compares them
else:

    def __getattr__(name: str) -> Any:
        from fetcher import messages_en, messages_ja  # they use errors, whose modules use this one

        return getattr(messages_en if current_language() is Language.ENGLISH else messages_ja, name)
