"""Whether this workspace has the parts of Slack that are made for agents: sessions and streams.

Slack refuses them with `not_authorized` on a free plan, and to an app that is not declared as an agent. The
app works without them: the answer replaces a plain message, and a cross as reaction stops a run.
"""

import logging
import threading
from dataclasses import dataclass, field

from slackapp.slack.errors import NotIncluded, PostError

log = logging.getLogger(__name__)

MEANING = (
    "Slack does not allow agent sessions and streams here: the workspace has no paid plan, or the app is not "
    "declared as an agent in its manifest. Answers come as plain messages, without Slack's stop button. "
    "After a change of the plan or the manifest, restart the app."
)


@dataclass(slots=True)
class AgentFeatures:
    """Remembers the first refusal for the life of the process; shared by all posters."""

    are_refused: bool = field(default=False, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def note(self, failure: PostError) -> None:
        """Log the first refusal, with what it means; the features are not asked for again."""
        with self._lock:
            is_first = isinstance(failure, NotIncluded) and not self.are_refused
            self.are_refused = self.are_refused or is_first
        if is_first:
            log.warning("agent_features_refused", extra={"fields": {"meaning": MEANING}})
