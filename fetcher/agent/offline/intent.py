"""What the asker of a question wants, as far as words alone tell it: for a reader without a model.

The tables hold patterns for folded text (`terms.fold`), Japanese ones as escapes with their meaning beside.
"""

import re
from dataclasses import dataclass

from fetcher.agent.files.answer_files import Kind as FileKind
from fetcher.agent.offline.search_terms import STRONG, fold, terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Files, or passages about a topic, or, where there is neither, a summary."""

    topic: str = ""
    """The question without its links and without the words that only ask; empty if it is about nothing."""
    files: tuple[FileKind, ...] = ()
    everything: bool = False
    """True when all the tables should go into files."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile(_either(*patterns))


def _either(*patterns: str) -> str:
    return "|".join(patterns)


_LINK = re.compile(r"https?://[^\s<>|\u3001\u3002\u300c-\u3011]+|<[@#!][^<>]*+>")
_LONGEST = 2000
"""Characters at either end of a question that are looked at: what lies between is pasted, not asked."""

# A file is asked for by its name and a particle, unless what follows says otherwise. In this order: words
# that never ask; words that ask whatever stands beside them; words that speak of a file that is there. Where
# none of them follows, a file is made: one too many does no harm.
_NO_STATE = r"(?!\u3044(?!\u305f\u3060)|\u308b|\u304a[\u308a\u308b]|\u3042)"  # "do it", but not "it is done"
_MADE = (  # its making
    r"\u51fa\u529b|\u63d0\u4f9b|\u9001\u4ed8|\u5171\u6709|\u7d0d\u54c1|\u4fdd\u5b58|"
    r"\u4f5c\u6210|\u7528\u610f|\u63d0\u51fa|\u56de\u7b54|\u307e\u3068\u3081|"
    r"\u66f8\u304d?\u51fa\u3057|\u30c0\u30a6\u30f3\u30ed\u30fc\u30c9|"
    r"\u30a8\u30af\u30b9\u30dd\u30fc\u30c8"
)
_MAKING = (  # its making, please
    rf"\u306e\u3054?(?:{_MADE})[\u3092\u306f\u3082\u304c]?(?:\u304a\u9858|\u5e0c\u671b|"
    r"\u53ef\u80fd|\u3057\u3066|[\u307b\u6b32]\u3057|\u3067\u304d(?:\u307e[^\u305b]|\u308b|"
    r"\u308c\u3070|\u307e\u305b\u3093\u304b|\u306a\u3044[\u304b\u3067]))"
)

_DID = (  # what somebody did with it
    r"\w{0,6}?(?:\u307e\u3057\u305f|(?:\u3082\u3089\u3063|\u8cb0\u3063|\u9802\u3044|"
    r"\u3044\u305f\u3060\u3044|\u78ba\u8a8d\u3057|\u898b|"
    r"\u958b\u3044)\u305f(?![\u3044\u304f]))"
)
_NEVER_IN = (  # it is, instead of it
    rf"\u3059(?!\u3050|\u3079\u3066)|\u306f?\u306a(?:\u304f|\u3044(?!\u3068\u56f0))|{_DID}"
)
_NEVER_INTO = (  # about it, without making it
    r"\u3064[\u3044\u304d]|\u95a2[\u3057\u3059\u308f]|\u305b[\u305a\u306c]|"
    rf"\u3057\u306a[\u3044\u304f\u304b]|{_DID}"
)

# The polite way to ask, where "you cannot" and "it does not" are none; then "won't you give me".
_CAN_YOU_NOT = _either(
    r"[^\W\u3092]{0,10}?(?:\u3067\u304d|[\u3048\u3051\u3052\u305b\u306d\u3079\u3081\u308c]|"
    r"\u3055\u3044)(?:\u306a\u3044|\u307e\u305b\u3093)(?:\u306e|\u3093|"
    r"\u3082\u306e)?(?:\u3067\u3059|\u3067\u3057\u3087\u3046|\u3060\u308d\u3046)?(?:\u304b|\?)",
    r"[^\W\u3092]{0,10}?(?:\u304f\u308c|\u3089\u3048|\u8cb0\u3048|\u3060\u3051|"
    r"\u9802\u3051)(?:\u306a\u3044|\u307e\u305b\u3093)(?!\u306e[\u306f\u306b]|"
    r"\u3067\u3057\u305f)",
)
_ASKS = _either(
    # Put it in, write it out, and so on.
    r"[^\u3002!?\u3001,]{0,20}?(?:(?:[\u51fa\u6e21\u843d]|\u51fa\u529b|\u4fdd\u5b58|"
    r"\u4f5c\u6210|\u5909\u63db|\u62bd\u51fa)\u3057|\u307e\u3068\u3081|\u5165\u308c|"
    r"\u542b\u3081|\u8f09\u305b|\u4f5c\u3063|\u9001\u3063|\u66f8\u3044)\u3066" + _NO_STATE,
    # So that, want.
    r"[^\u3002!?\u3001,]{0,20}?(?:\u3088\u3046(?:\u306b(?!\u306a)|\u304a\u9858)|"
    r"[\u307b\u6b32]\u3057\u3044|\u5fc5\u8981\u3067\u3059|"
    r"[\u3057\u308a\u304d\u305b\u308c]\u305f\u3044)",
    _CAN_YOU_NOT,
    r"[^\W\u3092]{0,4}?\u304a\u9858",  # please
)
_NOT_IN = _either(
    rf"\u306f|(?!{_MAKING})\u306e",  # of it, compared with it
    # With it too, or please.
    r"\u3082(?!\u3089|\u304f\u3060|\u4e0b\u3055|\u304a\u9858|[\u307b\u6b32]\u3057|"
    r"\u3044\u3044|\u3044\u305f\u3060|\u9802|\u8cb0)",
    r"\u4f55|\u3069[\u306e\u3053\u308c\u3093\u3061]|\u3069\u3046(?![\u305e\u304b])",  # a question word
    # Cannot, does not.
    r"\w{0,10}?(?:\u306a\u3044(?!\u3088\u3046|\u3068\u56f0)|\u307e\u305b\u3093|"
    r"\u306a\u304b\u3063)",
    # It went wrong.
    r"\w{0,8}?(?:\u5316\u3051(?!\u3057?\u306a)|\u30a8\u30e9\u30fc|\u5d29\u308c|\u58ca\u308c|"
    r"\u304a\u304b\u3057)",
    r"\w{0,8}?(?:\u65b9\u6cd5|\u624b\u9806|\u3084\u308a\u65b9)",  # how to
    # A file that is read in.
    r"\w{0,4}?(?:\u30a4\u30f3\u30dd\u30fc\u30c8|\u53d6\u308a?\u8fbc|"
    r"\u30a2\u30c3\u30d7\u30ed\u30fc\u30c9|\u8aad\u307f?\u8fbc|\u767b\u9332)",
)
_NOT_INTO = _either(
    # Into it too, cope with it.
    r"\u306f|\u3082(?!\u3057[\u3066\u305f]|\u5909\u63db|\u51fa\u529b|\u304a\u9858|"
    r"\u307e\u3068\u3081)|\u5bfe[\u5fdc\u3057]",
    r"\u4f55|\u3069[\u306e\u3053\u308c\u3093\u3061]|\u3069\u3046(?![\u305e\u304b])",  # a question word
    # What is in it.
    r"\w{0,6}?(?:\u3042(?:[\u308b\u3063]|\u308a(?!\u304c))|\u542b[\u307e\u3080\u3093]|"
    r"\u8f09[\u3063\u308b]|\u5165\u3063|\u66f8\u304b\u308c|\u66f8\u3044\u3066\u3042)",
    # What is not.
    r"\u306a[\u3044\u304b\u304f\u3063]|\w{0,10}?(?:\u7121[\u3044\u304b\u304f\u3057]|"
    r"\u306a\u3044(?!\u3088\u3046|\u3068\u56f0)|\u307e\u305b\u3093|\u306a\u304b\u3063)",
    r"[^\W\u3092\u3057\u3059\u3067\u307e\u5909]{1,8}(?:\u304c(?![\u305f\u3068])|"
    r"\u306f)",  # a subject, but not in "thankful"
)
_REQUEST = _either(
    # Please.
    r"(?:\u304f\u3060\u3055|\u4e0b\u3055)(?!\u3063|\u308a\u307e|\u3044\u307e\u3057)|"
    r"\u304a\u9858|[\u6b32\u307b]\u3057|\u5e0c\u671b|\u3088\u308d\u3057\u304f|\u9802\u6234|"
    r"\u3061\u3087\u3046\u3060\u3044|\u304f\u308c(?!\u305f)",
    # May I have.
    r"(?:(?:\u3082\u3089|\u8cb0)(?:\u3048|\u3044\u305f)|(?:\u9802|"
    r"\u3044\u305f\u3060)(?:\u3051|\u304d\u305f))(?!\u306a[\u3044\u304b](?!\u3067)|"
    r"\u307e\u305b\u3093(?!\u304b|\u3067\u3057\u3087\u3046))",
    # Send, show.
    r"(?:\u9001\u3063|\u898b\u305b|\u4ed8\u3051|\u3064\u3051|(?:[\u51fa\u6e21]|\u51fa\u529b|"
    rf"\u6dfb\u4ed8|\u5171\u6709|\u7528\u610f|\u4fdd\u5b58)\u3057)(?:\u3066{_NO_STATE}|"
    r"\u305f\u3044)",
)
_AGAIN = (  # again, at once
    r"(?:\u3082\u3046\u4e00[\u5ea6\u56de]|\u518d\u5ea6|\u307e\u305f|\u6539\u3081\u3066|"
    r"\u3059\u3050\u306b?|\u5148\u306b|\u4e00\u7dd2\u306b|\u5168\u90e8)?"
)

_AFTER_NAME = _either(
    rf"\u3067(?!{_NEVER_IN})(?:(?={_ASKS})|(?!{_NOT_IN}))",  # in
    # Into.
    rf"\u306b(?!{_NEVER_INTO})(?:(?={_ASKS})|(?!{_NOT_INTO}))(?:\u3057\u3066|"
    r"\u307e\u3068\u3081\u3066)?",
    r"\u3068\u3057\u3066|\u5316|\u51fa\u529b|\u5909\u63db",  # as, output, convert
    # Make, not made.
    r"[\u3092\u3082]?\u4f5c(?!\u6210(?:\u3057\u305f|\u3057\u307e\u3057|\u3055\u308c)|"
    r"\u3063\u305f|\u308a\u307e\u3057|\u3089\u308c)",
    rf"[\u3092\u3082\u304c\u306f]?{_AGAIN}(?:{_REQUEST})|\u306f(?={_CAN_YOU_NOT})",  # please
    _MAKING,
    # Would be fine.
    r"(?:\u3060\u3068|\u306a\u3089|(?:\u306e(?:\u65b9|\u307b\u3046))?\u304c)(?:\u52a9\u304b|"
    r"\u3042\u308a[\u304c\u96e3]|\u5b09\u3057|\u3046\u308c\u3057|\u3044\u3044|\u826f\u3044)",
    r"\u30a8\u30af\u30b9\u30dd\u30fc\u30c8|\u30c0\u30a6\u30f3\u30ed\u30fc\u30c9",  # export, download
    r"[\u3002!?]*+ ?$",  # the name stands last
    r"(?=(?:\u3068|\u3001|,|/| ?and\b) ?(?:csv|json)(?!\u306e\u9055))",  # and, but not how they differ
)
_FILE = (  # file, format, data, edition
    r" ?(?:\u306e?(?:\u30d5\u30a1\u30a4\u30eb|\u5f62\u5f0f|\u30c7\u30fc\u30bf|\u7248))? ?"
)
_TABLE = r"(?<![\u767a\u4ee3\u516c])\u8868(?:\u3060\u3051)?"  # table, but not in "announce", "represent"
_SHEET = (
    r"excel|\u30a8\u30af\u30bb\u30eb|\u30b9\u30d7\u30ec\u30c3\u30c9\u30b7\u30fc\u30c8"  # Excel, spreadsheet
)


def _as(name: str) -> re.Pattern[str]:
    """A file whose kind is named."""
    return _any(
        rf"(?:{name}){_FILE}(?:{_AFTER_NAME})",
        rf"\b(?:as|to|into|in) (?:an? )?(?:{name})\b(?: files?)?",
        rf"\b(?:{name}) (?:files?|please|export|format)\b",
    )


_OF_SOME_KIND = _any(
    r"\u30a8\u30af\u30b9\u30dd\u30fc\u30c8"  # export, but not
    r"(?!\u65b9\u6cd5|\u6a5f\u80fd|[\u306e\u304c\u306f\u3067\u5148])(?:\u3057\u3066)?",  # how to export
    r"\u30d5\u30a1\u30a4\u30eb[\u306b\u3067](?:\u3057\u3066|\u307e\u3068\u3081|\u51fa\u529b)",  # a file
    r"\u30d5\u30a1\u30a4\u30eb\u3067(?:\u304f\u3060\u3055|\u4e0b\u3055|[\u6b32\u307b]\u3057)",  # file, please
    r"\u66f8\u304d\u51fa\u3057(?:\u3066|\u305f\u3044)",  # write out
    r"(?:^\W*|\u3092)\u30c0\u30a6\u30f3\u30ed\u30fc\u30c9"  # download
    r"(?:\u3057\u3066(?:\u304f\u3060\u3055|\u4e0b\u3055)|\W*$)",  # please, or at the end
    rf"{_TABLE}\u3092(?:\u51fa\u529b|\u62bd\u51fa|\u629c\u304d\u51fa|\u53d6\u308a\u51fa)",  # extract it
    rf"{_TABLE}\u3092(?:\u4fdd\u5b58|\u304f\u3060\u3055|\u4e0b\u3055|\u304a\u9858)",  # the table, please
    rf"{_TABLE}\u306b(?:\u3057\u3066|\u307e\u3068\u3081\u3066)",  # as a table
    r"^\W*(?:please |can you |could you )?(?:export|download|save)\b",
    r"\b(?<!how to )(?<!do i )(?<!can i )(?:export|download) (?:the|this|that|it|all|these|every)\b",
)
_NAMED: dict[FileKind, re.Pattern[str]] = {"csv": _as(f"csv|{_SHEET}"), "json": _as("json")}

_EVERYTHING = _any(r"\u3059\u3079\u3066|\u5168\u3066|\u5168\u90e8", r"\ball\b|\bevery\b")  # all

_ASKING = _any(
    r"\u8981\u7d04|\u307e\u3068\u3081(?:\u3066|\u308b)?",  # summary
    r"\u8981\u70b9|\u30dd\u30a4\u30f3\u30c8",  # main points
    r"(?<!\w)\u6982\u8981|\u3042\u3089\u3059\u3058|\u629c\u7c8b",  # overview, gist, excerpt
    r"\u30da\u30fc\u30b8|\u8a18\u4e8b|\u30b5\u30a4\u30c8|\u30ea\u30f3\u30af",  # page, article, site, link
    r"url|\u5185\u5bb9|\u30cb\u30e5\u30fc\u30b9|\u8cc7\u6599",  # content, news, document
    r"\u8aad(?:\u3093\u3067|\u307f\u53d6\u3063\u3066)|\u898b(?:\u3066|\u305b\u3066)",  # read, show
    r"\u89e3\u8aac|\u8aac\u660e|\u7d39\u4ecb|\u8abf\u3079\u3066|\u53d6\u5f97",  # explain, look up, get
    r"\u78ba\u8a8d|\u62bd\u51fa|\u6574\u7406",  # check, extract, put in order
    r"\u66f8(?:\u3044\u3066|\u304b\u308c\u3066)",  # written
    r"\u3056\u3063\u304f\u308a|\u7c21[\u5358\u6f54]\u306b?|\u77ed\u304f",  # roughly, briefly
    r"\u8a73\u3057\u304f",  # in detail
    r"(?:\u308f\u304b|\u5206\u304b)\u308a\u3084\u3059\u304f|\u7b87\u6761\u66f8\u304d",  # plainly, as bullets
    r"\d+(?:\u884c|\u6587\u5b57)(?:\u7a0b\u5ea6|\u304f\u3089\u3044|\u4ee5\u5185)?\u3067?",  # in so many lines
    r"\u65e5\u672c\u8a9e|\u82f1\u8a9e|\u7ffb\u8a33",  # Japanese, English, translate
    r"\u3082\u3089[\u3048\u3044]|[\u307b\u6b32]\u3057\u3044|\u304f\u308c|\u9802|\u3044\u305f\u3060",  # please
    r"\u3069\u3046\u3044\u3046|\u3060\u3051",  # what kind of, only
    r"(?<![\u4e00-\u9fff])(?:\u8868|\u4e00\u89a7)\u8868?(?![\u4e00-\u9fff])",  # table, list
    r"\u30c6\u30fc\u30d6\u30eb|\u30c7\u30fc\u30bf",  # table, data
    r"\b(?:summari[sz]e|summary|tl;?dr|overview|gist|(?:main|key|bullet) points?)\b",
    r"\b(?:(?:web)?(?:page|site)s?|articles?|links?|urls?|contents?|tables?|files?)\b",
    r"\b(?:explain|describe|read|show|make|brief(?:ly)?|short|in (?:japanese|english))\b",
    r"\b(?:let|know|want|need|us|so|if|just)\b",
)

_MEANINGS = (
    (re.compile(r"\u3044\u304f\u3089|how much"), r"\u6599\u91d1 \u4fa1\u683c \u5186"),  # price
    (
        re.compile(r"\u3044\u3064|\u4f55[\u6642\u65e5]|\bwhen\b"),
        r"\u65e5\u6642 \u65e5\u7a0b \u6642\u9593",
    ),  # time
    (re.compile(r"\u3069\u3053|\bwhere\b"), r"\u5834\u6240 \u4f4f\u6240 \u6240\u5728\u5730"),  # place
    (re.compile(r"\u3060\u308c|\u8ab0|\bwho\b"), r"\u62c5\u5f53 \u4ee3\u8868 \u6c0f\u540d"),  # person
)
"""What a question is about that consists of a question word alone."""


def intent_of(question: str) -> Intent:
    """What is asked for, and about what."""
    text = " ".join(_LINK.sub(" ", fold(_ends(question))).split())
    everything = _EVERYTHING.search(text) is not None
    return Intent(topic=_topic(text), files=_files(text), everything=everything)


def _ends(question: str) -> str:
    return question if len(question) <= 2 * _LONGEST else f"{question[:_LONGEST]} {question[-_LONGEST:]}"


def _files(text: str) -> tuple[FileKind, ...]:
    """The kinds of file that are asked for; CSV where no kind is named."""
    named = tuple(kind for kind, pattern in _NAMED.items() if pattern.search(text))
    return named or (("csv",) if _OF_SOME_KIND.search(text) else ())


def _topic(text: str) -> str:
    """The words that say what the question is about; empty if none does."""
    topic = text
    for pattern in (*_NAMED.values(), _OF_SOME_KIND, _ASKING, _EVERYTHING):
        topic = " ".join(pattern.sub(" ", topic).split())
    if any(term.weight >= STRONG for term in terms(topic)):
        return topic.strip()
    meant = [_unescaped(words) for pattern, words in _MEANINGS if pattern.search(text)]
    return " ".join([topic, *meant]) if meant or terms(topic) else ""


def _unescaped(words: str) -> str:
    return words.encode().decode("unicode_escape")
