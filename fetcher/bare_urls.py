"""URLs and hosts in plain text: what programs take for one, and what people mean by one.

Some programs look for any scheme and `://`; for some `www.` or `mailto:` is enough; browsers also accept
`http:/host` and full-width signs. A host name alone (`shop.example/a`) is not a URL to them.

People leave the scheme out, or write it with a slip of the hand. Hosts count under top-level domains that are
common. A file may be called like a host (`logo.ai`, `script.pl`), and so may a person.
"""

import re
from string import ascii_letters, digits
from unicodedata import normalize

AUTHORITY = r"[:\uff1a][/\uff0f]{2}"
"""The signs between a scheme and a host."""
WITHOUT_AUTHORITY = r"(?:https?|ftp|mailto|xmpp)[:\uff1a]"
"""Schemes that programs recognise without these signs."""
WORLD_WIDE_WEB = r"www[.\u3002\uff0e\uff61]"

_LIKE_A_URL = re.compile(
    rf"(?P<authority>{AUTHORITY})|(?:{WITHOUT_AUTHORITY}|(?<![a-z0-9]){WORLD_WIDE_WEB})(?=\S)",
    re.ASCII | re.IGNORECASE,
)
_NOT_FIRST_IN_A_SCHEME = digits + "+.-"
_IN_A_SCHEME = ascii_letters + _NOT_FIRST_IN_A_SCHEME

_TOP_LEVEL = (
    "com|net|org|info|biz|edu|gov|int|jp|io|dev|app|ai|co|me|tv|cloud|tech|site|online|shop|store|blog|page|tokyo"
    "|us|uk|eu|de|fr|it|es|nl|ch|se|no|fi|dk|be|at|pl|cz|ie|pt|ca|au|nz|in|cn|hk|tw|kr|sg|my|th|vn|id|ph|br|mx"
    "|example|sample|test"
)
_HOST = re.compile(
    rf"(?<![\w@./:%&=~?#+-])(?P<host>(?:[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?\.){{1,8}}(?:{_TOP_LEVEL}))"
    r"(?![\w@.-]*[\w@])(?::\d{1,5})?(?=[/?#]|[^\w@-]|$)",
    re.ASCII | re.IGNORECASE,
)
"""A host that people write without a scheme: no address of mail, no part of a path or of a longer name."""
_TAIL = r"[!#-;=?-_a-{}~]*+"  # what is printed in ASCII, without white space, quotes and angle brackets
# Raw Japanese in a path or a query, as in `/wiki/資料a.jp`; hiragana may begin a sentence.
_NAME = r"(?<=[/=&?#_+:(-])[\u3005-\u3007\u30a0-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]++"
_URL_OR_HOST = re.compile(
    rf"https?://{_TAIL}(?>{_NAME}{_TAIL})*+|(?P<bare>{_HOST.pattern}(?>[/?#]{_TAIL})?+)",
    re.ASCII | re.IGNORECASE,
)
_TYPED_SCHEME = re.compile(
    r"(?<![A-Za-z0-9\uff10-\uff19\uff21-\uff3a\uff41-\uff5a])"
    rf"(?P<scheme>[Hh\uff28\uff48]?[Tt\uff34\uff54]{{1,3}}[Pp\uff30\uff50](?P<secure>[Ss\uff33\uff53])?{AUTHORITY})"
    rf"(?P<rest>[!-~\uff01-\uff5e]*+(?>{_NAME}[!-~\uff01-\uff5e]*+)*+)"
)
"""A scheme of the web in either width, also without its `h` or with another number of `t`."""
_WEB = re.compile(r"https?://", re.ASCII | re.IGNORECASE)


def last_scheme(text: str) -> str:
    """The end of a text that would be a scheme if `://` came next."""
    return text[len(text.rstrip(_IN_A_SCHEME)) :].lstrip(_NOT_FIRST_IN_A_SCHEME)


def without_urls(text: str) -> str:
    """Text in which programs find no URL; people can still read one that was there."""
    return _LIKE_A_URL.sub(lambda found: ": //" if found["authority"] else f"{found[0]} ", text)


def with_schemes(text: str) -> str:
    """The text with `http://` or `https://` before each link that a person meant; URLs stay as they are.

    An input method for Japanese writes a whole URL in full width (`ｈｔｔｐ：／／`).
    """
    typed = _TYPED_SCHEME.sub(_mended, text)
    if "." not in typed:
        return typed
    return _URL_OR_HOST.sub(lambda found: f"https://{found[0]}" if found["bare"] else found[0], typed)


def _mended(found: re.Match[str]) -> str:
    if _WEB.fullmatch(found["scheme"]):
        return found[0]
    rest = found["rest"] if found["scheme"].isascii() else normalize("NFKC", found["rest"])
    return f"{'https' if found['secure'] else 'http'}://{rest}"


def without_links(text: str) -> str:
    """The text in which neither a URL nor a host is found; people can still read one that was there.

    For names, and for what a model wrote: they are not a person's wish to have a page opened.
    """
    plain = without_urls(text)
    return _HOST.sub(lambda found: found[0].replace(".", ". "), plain) if "." in plain else plain
