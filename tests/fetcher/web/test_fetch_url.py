"""`fetch_url` answers with text, always: the page's, or one Japanese sentence."""

import asyncio

import pytest

from fetcher.settings import Settings
from fetcher.web.browser_reader import RENDERED_READ_SECONDS, SNAPSHOT_SECONDS
from fetcher.web.fetch_url import fetch_url
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import IPAddress
from fetcher.wording import fixed_ja
from tests.engine import NoRenderer, engine, fetch
from tests.fakes import answers, misbehaviour
from tests.fakes.skipping_loop import SkippingLoop
from tests.fetcher.web.reading.documents.pdf_files import Page, pdf

PAGE = "http://shop.example/page"


def _read(internet, url=PAGE, **settings):
    return asyncio.run(fetch_url(engine(internet, **settings), url))


def test_a_page_is_read_as_an_article(internet):
    paragraphs = "".join(f"<p>{'これは本文の段落です。' * 8}{number}</p>" for number in range(5))
    internet.page(PAGE, f"<nav><a href=/>home</a></nav><article><h1>題名</h1>{paragraphs}</article>")
    text = _read(internet)
    assert text.startswith("# 題名\n")
    assert "home" not in text


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/markdown", "# Title"),
        ("application/ld+json", "[]"),
        ("application/xml", "<a/>"),
        ("application/x-yaml", "a: 1"),
        ("text/javascript", "let a = 1"),
        ("text/css", "a { }"),
    ],
)
def test_text_of_other_types_is_read_as_it_is(internet, content_type, body):
    """E2."""
    internet.page(PAGE, body, headers={"Content-Type": content_type})
    assert _read(internet) == body + "\n"


def test_a_site_cannot_tell_it_from_web_fetch(internet):
    """Which of the two tools a model takes would be a bit that a page's server sees."""
    internet.page(PAGE, "x")
    _read(internet)
    fetch(internet, PAGE)
    quick_read, other = (request for request in internet.web.requests if request.url == PAGE)
    assert quick_read.headers == other.headers
    assert other.header("Accept") == "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1"


def test_a_long_text_is_cut_with_a_mark(internet):
    """E1: 14,000 characters in all, just inside and just outside."""
    internet.page(PAGE, "x" * 13_999, headers={"Content-Type": "text/plain"})
    assert not _read(internet).endswith(fixed_ja.MORE)
    internet.page(PAGE, "x" * 14_000, headers={"Content-Type": "text/plain"})
    text = _read(internet)
    assert text.endswith("... [以下省略]")
    assert len(text) == 14_000


def test_the_first_half_megabyte_of_a_long_body_is_read(internet):
    """E1: a longer body is cut, not refused."""
    internet.route(PAGE, misbehaviour.endless_body(headers={"Content-Type": "text/plain"}))
    assert _read(internet).startswith("xxx")


@pytest.mark.parametrize(("length", "last"), [(524_288, "Z"), (524_289, "x")])
def test_exactly_512_kb_of_a_body_are_read(internet, length, last):
    """E1: just inside and just outside; the white space before the end is folded, so that it is shown."""
    body = "x" + "\n" * (length - 4) + "x" + "xZ"
    internet.page(PAGE, body[:length], headers={"Content-Type": "text/plain"})
    assert _read(internet).removesuffix(fixed_ja.MORE).rstrip().endswith(last)


class SilentResolver:
    """A name server that never answers."""

    async def resolve(self, host: str) -> list[IPAddress]:
        await asyncio.sleep(3600)
        return []


def test_ten_seconds_are_all_that_a_quick_read_takes():
    """E1: ten seconds, whatever the answer has not yet come from."""
    loop = SkippingLoop()
    pipeline = Pipeline(
        Settings.model_validate({"webfetch": {"cache_dir": "", "enabled": True}}), resolver=SilentResolver()
    )
    text = loop.run_until_complete(fetch_url(pipeline, PAGE))
    assert "時間" in text
    assert loop.time() == pytest.approx(10)
    loop.close()


class Watch(NoRenderer):
    """A browser that says how long it could have taken."""

    seconds = 0.0

    async def render(self, url, require_permission, *, guard, document, whole, mode, record_response):
        self.seconds = whole.remaining
        return await super().render(
            url,
            require_permission,
            guard=guard,
            document=document,
            whole=whole,
            mode=mode,
            record_response=record_response,
        )


def test_a_browser_adds_nothing_to_the_ten_seconds(internet):
    """E1: ten seconds in all, what a rendered page is read in included."""
    internet.page(PAGE, '<div id="root"></div>')
    watch = Watch()
    asyncio.run(fetch_url(engine(internet, renderer=watch), PAGE))
    assert 9 < watch.seconds + SNAPSHOT_SECONDS + RENDERED_READ_SECONDS <= 10


def test_a_smaller_limit_that_was_set_holds_for_the_quick_read(internet):
    internet.page(PAGE, "x" * 5_000, headers={"Content-Type": "text/plain"})
    assert _read(internet, max_download_bytes=1024) == "x" * 1024 + "\n... [以下省略]"


def test_a_body_that_was_cut_is_marked_however_short_its_text(internet):
    """Half a megabyte of styles may leave a sentence; what followed is missing all the same."""
    body = "<p>始めの文です。</p>" + f"<style>{'a{}' * 200_000}</style><p>終わりの文です。</p>"
    internet.page(PAGE, body)
    text = _read(internet)
    assert text.startswith("始めの文です。")
    assert text.endswith("... [以下省略]")
    assert "終わり" not in text


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("ftp://shop.example/", "URLスキームエラー"),
        ("http://127.0.0.1/", "プライベートIPアクセス拒否"),
        ("http://shop.example:22/", "ポート"),
        ("not a url", "リンクの形式"),
        ("http://2130706433/", "ホスト名"),
        ("http://nowhere.example/", "見つかりませんでした"),
        ("https://team.slack.com/archives/C123/p456", "Slackのリンク"),
        ("https://team.enterprise.slack.com./archives/C123/p456", "Slackのリンク"),
        ("https://slack.com/archives/C123/p456", "Slackのリンク"),
        ("https://app.slack.com/client/T123/C123", "Slackのリンク"),
        ("https://files.slack.com/files-pri/T123-F123/a.pdf", "Slackのリンク"),
    ],
)
def test_what_is_not_fetched_is_explained(internet, url, part):
    assert part in _read(internet, url)
    assert internet.web.requests == []


def test_a_tool_that_is_switched_off_fetches_nothing(internet):
    """SRD §5.2 holds for the quick read too."""
    internet.page(PAGE, "x")
    assert "停止されています" in _read(internet, tools={"mode": "disabled"})
    assert internet.web.requests == []


def test_a_fault_of_ours_is_a_sentence_too(internet, monkeypatch):
    def broken(*_):
        raise KeyError("secret")

    internet.page(PAGE, "x")
    monkeypatch.setattr("fetcher.web.sandbox.pool.checked", broken)
    assert "内部エラー" in _read(internet)


@pytest.mark.parametrize(
    ("script", "part"),
    [
        (answers.answer(status=401), "ログイン"),
        (answers.answer(status=403), "ログイン"),
        (answers.answer(status=404), "HTTP 404"),
        (answers.answer(status=410), "HTTPエラー"),
        (answers.answer(status=429, headers={"Retry-After": "30"}), "30秒"),
        (answers.answer(status=500), "HTTPエラー"),
        (answers.answer("%PDF-1.7", headers={"Content-Type": "application/pdf"}), "壊れている"),
        (answers.answer("%PDF-1.7", headers={"Content-Type": None}), "壊れている"),
        (answers.answer(b"\x89PNG", headers={"Content-Type": "image/png"}), "画像"),
        (misbehaviour.close_before_answer(), "ネットワークエラー"),
        (answers.redirect("/page"), "転送が多すぎる"),
        (
            answers.redirect("http://169.254.169.254/"),
            "プライベートIPアクセス拒否：このリンクは公開されていないアドレスへ転送される",
        ),
    ],
)
def test_every_failure_is_one_polite_answer(internet, script, part):
    """E1, E18: no code, no address, no stack trace."""
    internet.route(PAGE, script)
    text = _read(internet)
    assert part in text
    assert "169.254" not in text
    assert text.endswith("。")


def test_ten_seconds_and_half_a_megabyte_bind_documents_too(internet):
    """E1: the agent has longer limits for a PDF, the function has not."""
    whole = pdf(Page().text(50, 60, "料金は千円です。"))
    internet.route(PAGE, answers.answer(whole, headers={"Content-Type": "application/pdf"}))
    assert "料金は千円です。" in _read(internet)
    large = whole + b"%" + b"x" * 512 * 1024
    internet.route(PAGE, answers.answer(large, headers={"Content-Type": "application/pdf"}))
    assert "大きすぎ" in _read(internet)


FIRST_FAILURES = {
    "robots.txt takes too long": (misbehaviour.stall(), "タイムアウト："),
    "robots.txt breaks off": (misbehaviour.close_before_answer(), "ネットワークエラー："),
    "robots.txt is an error": (answers.answer("", status=503), "HTTPエラー："),
}


@pytest.mark.parametrize(("answer", "label"), FIRST_FAILURES.values(), ids=FIRST_FAILURES)
def test_a_failure_has_its_label_where_robots_txt_fails_first(internet, answer, label):
    internet.page(PAGE, "x")
    internet.route("http://shop.example/robots.txt", answer)
    assert _read(internet, timeout_seconds=1).startswith(label)


def test_a_name_without_address_and_another_scheme_have_their_labels(internet):
    assert _read(internet, "http://nowhere.example/").startswith("ネットワークエラー：")
    assert _read(internet, "ftp://shop.example/").startswith("URLスキームエラー：")
