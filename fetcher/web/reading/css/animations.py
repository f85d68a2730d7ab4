"""How an element looks once its animation has ended: many pages fade their parts in without a script.

Only an animation that surely ends soon counts: one that is paused, delayed for long, repeated for ever or run
backwards may never show its last frame.
"""

import re
from collections.abc import Mapping

from fetcher.web.reading.css.declarations import Declarations, read_block

LONGEST = 10
"""Seconds for which people wait until a part of a page is shown."""
_ARGUMENTS = re.compile(r"\([^()]*+\)")
_TIME = re.compile(r"(-?(?:\d++(?>\.\d++)?+|\.\d++))(m?s)")
_STAYS = frozenset({"forwards", "both"})
_ENDLESS = frozenset({"infinite", "paused", "reverse", "alternate", "alternate-reverse"})


def final_frame(declared: Declarations, last_frames: Mapping[str, str]) -> Declarations:
    """What the last frame of an animation declares, if it stays and is surely reached."""
    written = [value for name, value in declared.items() if name.startswith("animation")]
    words = _ARGUMENTS.sub("", " ".join(written)).split()
    if any("," in word for word in words) or _STAYS.isdisjoint(words) or not _ENDLESS.isdisjoint(words):
        return {}
    for time in filter(None, map(_TIME.fullmatch, words)):
        if abs(float(time[1])) > (LONGEST if time[2] == "s" else 1000 * LONGEST):
            return {}
    names = [word for word in words if word in last_frames]
    return read_block(last_frames[names[0]]).normal if len(names) == 1 else {}
