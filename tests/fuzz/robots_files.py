"""The path that is asked for, and on the lines after it a robots.txt."""

from fetcher.web.net.robots import parse
from tests.fuzz.bounds import at_most, is_multiplied, multiplied

TOKENS = ("slackwebreader", "forge-webfetch", "A")


def check(data: bytes) -> None:
    """Every file has a verdict on every path, soon, and the same one each time."""
    head, _, file = data.partition(b"\n")
    target = "/" + head.decode("utf-8", "surrogateescape")
    with at_most(1):
        verdicts = [parse(file).allows(token, target) for token in TOKENS]
    assert all(isinstance(verdict, bool) for verdict in verdicts)
    _assert_readable_alike(file, target, verdicts)
    assert parse(file).allows(TOKENS[0], "/robots.txt")
    if is_multiplied(data):
        with at_most(2):
            parse(multiplied(file)).allows(TOKENS[0], "/" + multiplied(head[:64])[:8_000].decode("latin-1"))


def _assert_readable_alike(file: bytes, target: str, verdicts: list[bool]) -> None:
    """Line ends, a byte order mark, a comment at the end and the case of our name change nothing."""
    if not _is_utf8(file):
        return
    for variant in (b"\xef\xbb\xbf" + file, file + b"\n# end", file.replace(b"\n", b"\r")):
        assert [parse(variant).allows(token.upper(), target) for token in TOKENS] == verdicts


def _is_utf8(file: bytes) -> bool:
    try:
        return not file.decode().startswith("\ufeff")
    except UnicodeDecodeError:
        return False
