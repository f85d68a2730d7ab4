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

MAY_HIDE = re.compile(
    rf"""(?:\A|[;\s])(?:-webkit-)?(?:
    opacity\s*+:(?!\s*+(?:1(?:\.0++)?|0?\.[5-9]\d*+){_END})
    | font\s*+:(?!\s*+(?:inherit
      |[^;()]*?\b(?:[3-9]|[1-9]\d)(?:\.\d++)?(?:px|pt)\b[^;()]*+
      |[^;()\d]*+[1-9](?:\.\d++)?r?em\b[^;()]*+){_END})
    | font-size\s*+:(?!\s*+(?:(?:[3-9]|[1-9]\d++)(?:\.\d++)?p[xt]|[1-9]\d?(?:\.\d++)?r?em
      |0?\.[2-9]\d*+r?em|[1-9]\d\d?(?:\.\d++)?%|inherit|[a-z-]++){_END})
    | visibility\s*+:(?!\s*+(?:visible|inherit){_END})
    | display\s*+:\s*+(?:none|var)
    | text-indent\s*+:(?!\s*+(?:{_SHORT}){_END})
    | letter-spacing\s*+:(?!\s*+(?:normal|\+?0?\.?\d++[a-z]*+
      |-0?\.\d++px|-[1-5](?:\.\d++)?px|-0?\.[0-4]\d*+em){_END})
    | {_SIDE}\s*+:(?!\s*+(?:(?:{_SHORT}|auto|inherit)\s*+)*+{_END})
    | (?:max-)?(?:height|width|block-size|inline-size)\s*+:(?!\s*+(?:[2-9]|1\d|[a-uw-z]))
    | (?:transform|scale|rotate|translate|clip|clip-path|mask|mask-image|zoom|filter|content-visibility)\s*+:
      (?!\s*+(?:none|auto|initial|inherit|rotate\(-?\d{{1,3}}deg\)
      |translate[xy]?\((?:{_SHORT}|[\s,]++)*+\)|scale\(1(?:\.\d++)?\)){_END})
    )""",
    re.VERBOSE,
)
