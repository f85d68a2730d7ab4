"""Which declarations may hide something: all but those of which it is sure that they do not.

Most rules hide nothing. One search through their text in lower case tells that, without reading them.
"""

import re

_END = r"\s*+(?:[;!]|\Z)"
_SHORT = r"[-+]?(?:\d{1,2}(?:\.\d++)?|\.\d++)(?:px|%)?(?![\w.%])|[-+]?(?:\d(?:\.\d++)?|\.\d++)r?em(?![\w.])"
"""A length that moves nothing out of sight."""
_SIDE = (
    r"(?:left|right|top|bottom|(?:margin|inset)(?:-(?:left|right|top|bottom|inline|block))?(?:-start|-end)?)"
)

_LEGIBLE = r"(?:[3-9]|[1-9]\d++)(?:\.\d++)?p[xt]|[1-9]\d?(?:\.\d++)?r?em|0?\.[2-9]\d*+r?em"
_WORD = r"(?:inherit|initial|unset|auto|none|normal|medium|(?:xx?x?-)?(?:small|large)|larger|smaller)"
_ROOM = r"(?:[3-9]|[1-9]\d++)(?:\.\d++)?(?:px|%|r?em|p[tc]|v[wh])?|(?:min|max|fit)-content"

_MAY_HIDE = re.compile(
    rf"""[;\s](?:-webkit-)?(?:
    opacity\s*+:(?!\s*+(?:1(?:\.0++)?|0?\.[89]\d*+){_END})
    | font\s*+:(?!\s*+(?:inherit{_END}|(?>(?:[a-z-]++|[1-9]00)\s++)*+(?:{_LEGIBLE})
      (?:\s*+/\s*+[\d.]++[a-z%]*+)?\s++[^;()/]*+{_END}))
    | font-size\s*+:(?!\s*+(?:{_LEGIBLE}|(?:[2-9]\d|[1-9]\d\d)(?:\.\d++)?%|{_WORD}){_END})
    | font-size-adjust\s*+:(?!\s*+(?:{_WORD}|0?\.[3-9]\d*+|1){_END})
    | visibility\s*+:(?!\s*+(?:visible|inherit){_END})
    | display\s*+:\s*+(?:none|var|table-column)
    | text-indent\s*+:(?!\s*+(?:{_SHORT}|{_WORD}){_END})
    | letter-spacing\s*+:(?!\s*+(?:{_WORD}|\+?0?\.?\d++[a-z]*+
      |-0?\.\d++px|-[1-5](?:\.\d++)?px|-0?\.[0-4]\d*+em){_END})
    | {_SIDE}\s*+:(?!\s*+(?>(?:{_SHORT}|auto|inherit|initial|unset)\s*+)*+{_END})
    | (?:logical-|max-)?(?:height|width|block-size|inline-size)\s*+:(?!\s*+(?:{_ROOM}|{_WORD}){_END})
    | (?:transform|scale|rotate|translate|clip|clip-path|mask|mask-image|mask-size|zoom|filter
      |content-visibility)\s*+:
      (?!\s*+(?:none|auto|initial|inherit|unset|visible|1|rotate\(-?\d{{1,3}}deg\)
      |translate[xy]?\((?>{_SHORT}|[\s,]++)*+\)|scale\(1(?:\.\d++)?\)){_END})
    )""",
    re.VERBOSE,
)
"""It leaves out only values that it understands as a whole.

It begins with a set of characters: such patterns are searched for quickly.
"""


def may_hide(css: str) -> bool:
    """Whether declarations in lower case may hide an element, its colours aside."""
    return _MAY_HIDE.search(f";{css}") is not None
