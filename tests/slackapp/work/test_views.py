"""What the Home tab shows to admins."""

from datetime import UTC, datetime

from slackapp import wording
from slackapp.guard.effective_policy import EffectivePolicy, ListedId, Origin
from slackapp.health import Health
from slackapp.stores.contract import Entity
from slackapp.work.views import AdminPart, Home, home_blocks

HEALTH = Health(
    at=datetime(2026, 5, 10, tzinfo=UTC), store="sqlite", store_answers=True, model="offline", browser=""
)


def test_where_everyone_may_ask_only_channels_are_listed():
    """Users of the list do not count then: to show them would say that others may not ask."""
    ids = ((Entity.CHANNEL, "C0123"), (Entity.USER, "U0123"))
    listed = tuple(ListedId(entity=entity, id=each, origins=(Origin.TABLE,)) for entity, each in ids)
    admin = AdminPart(usage={}, policy=EffectivePolicy(mode="open", listed=listed), health=HEALTH)
    text = str(home_blocks(Home(channel="D0123", admin=admin)))
    assert wording.home_policy_heading("open").split("\n")[0] in text
    assert ("<#C0123>" in text, "U0123" in text) == (True, False)
