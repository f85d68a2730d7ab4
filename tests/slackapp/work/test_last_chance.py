"""A request that is handled for the last time."""

from types import SimpleNamespace
from typing import Any

from slackapp.listeners.incoming import HomeOpened, ModalWanted
from slackapp.work.handler import LastChance, QuestionHandler


def test_what_a_user_has_left_long_ago_is_not_shown():
    """Nothing is posted: there is no poster that could."""
    dependencies: Any = SimpleNamespace(keeper=SimpleNamespace(expired_claims=None))
    last = LastChance(QuestionHandler(dependencies))
    opened = HomeOpened(team="T0LOCAL", user="U0TANAKA", channel="D0TANAKA")
    last.show_home(opened)
    last.suggest_prompts(opened)
    last.open_reading_modal(ModalWanted(trigger="1.2", channel="D0TANAKA"))
