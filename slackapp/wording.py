"""What the app says in Slack, in the language of the question (`fetcher/wording/language.py`).

`wording.failed()` is `failed` of `slackapp.messages_ja` or of `slackapp.messages_en`.
"""

from typing import TYPE_CHECKING, Any

from fetcher.wording.language import Language, current_language
from slackapp import messages_en, messages_ja

if TYPE_CHECKING:
    from slackapp.messages_ja import *  # noqa: F403 - the types of both catalogues; a test compares them
else:

    def __getattr__(name: str) -> Any:
        return getattr(messages_en if current_language() is Language.ENGLISH else messages_ja, name)
