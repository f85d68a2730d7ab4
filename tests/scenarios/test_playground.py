"""The playground as a person sees it, in a real Chromium: asking, watching, stopping, breaking."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect, sync_playwright
from slack_sdk import WebClient

from slackapp.playground.page import conditions
from slackapp.playground.playground import Playground
from slackapp.playground.webapi.faults import Fault
from tests.fakes.patient import SLOWLY, Patient
from tests.fetcher.web.browser.ground import chromium

ROOT = Path(__file__).parent.parent.parent
SHOTS = ROOT / "build" / "screenshots"
IMAGES = {"en-answer": "playground.png", "en-inspector": "inspector.png"}
"""Which screenshots the documentation shows; `UPDATE_IMAGES=1` renews them."""
LOCALES = {"ja": "ja-JP", "en": "en-US"}
DESK = {"width": 1440, "height": 900}
TABLET = {"width": 820, "height": 1100}
PHONE = {"width": 390, "height": 844}
SEEN_WHOLE = "(box => box.scrollHeight <= box.clientHeight)(document.querySelector('.main textarea'))"
SHUT = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
AXE = ROOT / "build" / "axe" / "package" / "axe.min.js"
"""Deque's rules of accessibility, which `make axe` fetches."""
USER = "U0TANAKA"
HACK = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>"

expect.set_options(timeout=10_000)


@pytest.fixture(scope="module")
def browser():
    """One Chromium for all of these; it reaches this machine alone."""
    flags = [*SHUT, *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]
    path = chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=flags)
        yield running
        running.close()


@pytest.fixture
def go():
    """Lets a slow answer go on."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def playground(go):
    environ = {"WEBFETCH_BROWSER__CHROMIUM_PATH": chromium()}
    with Playground(environ, wrap_agent=lambda inner: Patient(inner, go)) as running:
        yield running


@pytest.fixture
def visit(browser, playground):
    """Opens the page for somebody new; a mistake in its scripts fails the test."""
    contexts, mistakes = [], []

    def opened(language="ja", place="", viewport=DESK, **options):
        context = browser.new_context(viewport=viewport, locale=LOCALES[language], **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.on("console", lambda line: mistakes.extend([line.text] if line.type == "error" else []))
        page.goto(f"{playground.url}{place}")
        expect(page.locator(".main .pane-head")).to_be_visible()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [each for each in mistakes if "ERR_CONNECTION" not in each and "ERR_INCOMPLETE" not in each] == []


def _shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.mouse.move(0, 0)
    page.screenshot(path=SHOTS / f"{name}.png", animations="disabled")
    if os.environ.get("UPDATE_IMAGES") and name in IMAGES:
        images = ROOT / "docs" / "images"
        images.mkdir(exist_ok=True)
        shutil.copy(SHOTS / f"{name}.png", images / IMAGES[name])


def _write(page, pane, text):
    page.locator(f"{pane} textarea").fill(text)
    page.locator(f"{pane} textarea").press("Enter")


def _press(page, name, said):
    """Presses a control of the inspector and waits until it has taken effect: the page says so."""
    page.locator(f"[data-act={name}]").click()
    expect(page.locator("#toast")).to_contain_text(said)


def _replies(page):
    return page.locator(".thread .message")


def _menu(page, message, number):
    """Opens a message's menu and takes one of its choices."""
    message.hover()
    message.locator("[data-act=more]").click()
    page.locator(".menu button").nth(number).click()


WORDS = {
    "ja": {
        "only": "あなただけに表示されています",
        "stop": "停止",
        "lost": "接続が切れました",
        "unlisted": "ホワイトリストから外しました",
        "relisted": "ホワイトリストに戻しました",
        "exhausted": "使い切りました",
    },
    "en": {
        "only": "Only visible to you",
        "stop": "Stop",
        "lost": "connection to the server is lost",
        "unlisted": "Taken off the whitelist",
        "relisted": "Back on the whitelist",
        "exhausted": "Used up",
    },
}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_everything_can_be_clicked_through(visit, playground, language):
    """Mention, answer, follow-up, file, command, shortcut, stop, feedback, inspector, fault."""
    page, words = visit(language), WORDS[language]
    expect(page.locator("html")).to_have_attribute("lang", language)
    _shot(page, f"{language}-welcome")

    page.locator("[data-prompt=price]").click()
    answer = _replies(page).nth(1)
    expect(answer.get_by_role("link", name="ひだまり珈琲 料金表")).to_have_attribute(
        "href", "/sample/shop.sample/price"
    )
    page.locator(".thread [data-act^=preview]").click()
    expect(page.locator(".thread .preview th")).to_have_text(["プラン", "内容量", "月額（税込）"])
    expect(page.locator(".thread .preview td").first).to_have_text("おためし")
    _shot(page, f"{language}-answer")
    with page.expect_download() as download:
        page.locator(".thread .file-acts a").click()
    assert download.value.suggested_filename == "定期便のプラン.csv"
    assert download.value.path().read_bytes().startswith(b"\xef\xbb\xbf")

    answer.locator(".feedback").first.click()
    expect(answer.locator(".feedback").first).to_have_attribute("aria-pressed", "true")
    thanks = page.locator(".thread .whisper")
    expect(thanks).to_contain_text(words["only"])
    expect(thanks).to_contain_text("フィードバックをありがとうございます")

    _write(page, ".thread", "途中で解約できますか？")
    expect(_replies(page).last).to_contain_text("次回発送日の7日前まで")
    _shot(page, f"{language}-follow-up")

    page.keyboard.press("Escape")
    page.locator(".main textarea").fill("/fe")
    expect(page.locator(".main .completion li")).to_have_count(1)
    page.locator(".main textarea").press("Tab")
    page.locator(".main textarea").press_sequentially(
        "http://forum.sample/thread/42 トマトを赤くする方法は？"
    )
    page.locator(".main textarea").press("Enter")
    asked = page.locator(".main .message").last
    expect(asked).to_contain_text("さんからのご質問")
    asked.locator(".replies").click()
    expect(_replies(page).nth(1)).to_contain_text("日当たり")

    text = "<http://news.sample/articles/tram> 読みましたか"
    ts = playground.slack.say("U0SATO", "general", text, deliver=False)
    _menu(page, page.locator(f".main [data-ts='{ts}']"), 0)
    expect(_replies(page).nth(1)).to_contain_text("路面電車、夜間の増便を11月から開始")

    _write(page, ".main", f"@Webリーダー http://news.sample/articles/tram {SLOWLY}読んで")
    expect(_replies(page).first).to_contain_text(SLOWLY)  # another thread was open
    expect(_replies(page).nth(1)).to_contain_text("読み取りました：路面電車")
    _shot(page, f"{language}-working")
    page.locator(".thread .working").get_by_role("button", name=words["stop"]).click()
    expect(_replies(page).nth(1)).to_contain_text("回答を中止しました。")
    expect(page.locator(".thread .working")).to_be_hidden()

    page.locator("[data-act=inspector]").click()
    expect(page.locator(".entries tr[data-kind=tool]").first).to_contain_text("agent.ask")
    _press(page, "fail-429", "429")
    _write(page, ".main", "@Webリーダー http://shop.sample/price の料金表をCSVにして")
    expect(page.locator(".entries td.bad")).to_contain_text("429")
    expect(page.locator(".thread .file")).to_be_visible()
    page.locator(".entries").get_by_role("button", name="app_mention").click()
    expect(page.locator(".detail .tree")).to_contain_text("event_callback")
    assert "xoxb-" not in page.content()
    _shot(page, f"{language}-inspector")

    before = _replies(page).count()
    thread = page.url.rpartition("/")[2]
    page.locator(".detail [data-act=retry]").click()
    expect(page.locator(".entries .badge")).to_be_visible()
    page.locator(".detail [data-act=twice]").click()
    expect(page.locator(".entries").get_by_role("button", name="app_mention")).to_have_count(4)

    _press(page, "whitelist", words["unlisted"])
    expect(page.locator("#toast")).to_have_class(re.compile("shown"))
    _write(page, ".main", "@Webリーダー http://shop.sample/price は？")
    expect(page.locator(".main .whisper")).to_contain_text("ご利用が許可されていないアカウントです")
    _press(page, "whitelist", words["relisted"])
    _press(page, "exhaust", words["exhausted"])
    _write(page, ".main", "@Webリーダー http://shop.sample/price は？")
    expect(page.locator(".main .whisper").last).to_contain_text("秒ほど待ってから")
    _shot(page, f"{language}-refused")
    assert len(playground.slack.thread("general", thread)) == before  # delivered four times, answered once


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("news", "市交通局は28日"),
        ("hours", "17:00"),
        ("forum", "1日6時間以上の日光"),
        ("injection", "部屋の広さに合った加湿量"),
        ("english", "230 yen"),
        ("metadata", "公開されていないアドレスへ転送されるため、読み取りを中止しました"),
    ],
)
def test_every_prepared_prompt_is_answered(visit, prompt, said):
    """By the offline reader, without a word typed."""
    page = visit()
    page.locator(f"[data-prompt={prompt}]").click()
    expect(_replies(page).nth(1)).to_contain_text(said)


def test_the_page_that_scripts_fill_is_read(visit):
    """With the same Chromium; the page's data comes as a file."""
    page = visit()
    page.locator("[data-prompt=script]").click()
    expect(page.locator(".thread .file")).to_contain_text(".csv", timeout=30_000)


def test_a_direct_message_streams(visit, playground, go):
    """A refresh in the middle, three tabs: all end in the same answer."""
    page = visit(place=f"#{playground.slack.direct('U0TANAKA')}")
    _write(page, ".main", f"http://news.sample/articles/tram {SLOWLY}まとめて")
    streaming = _replies(page).nth(1)
    expect(streaming.locator(".task.done").last).to_contain_text("読み取りました：路面電車")
    expect(streaming).to_contain_text("路面電車の夜間便が")
    _shot(page, "ja-stream")
    page.reload()
    others = [page.context.new_page() for _ in range(2)]
    for other in others:
        other.goto(page.url)
    expect(streaming).to_contain_text("路面電車の夜間便が")
    go.set()
    for tab in (page, *others):
        expect(_replies(tab).nth(1)).to_contain_text("市交通局は28日")
        expect(_replies(tab)).to_have_count(2)
        expect(tab.locator(".working")).to_be_hidden()


def test_a_cross_stops_an_answer(visit, go):
    """The asker's own, from the menu of reactions."""
    page = visit()
    _write(page, ".main", f"@Webリーダー http://news.sample/articles/tram {SLOWLY}")
    expect(_replies(page)).to_have_count(2)
    question = page.locator(".main .message").last
    question.hover()
    question.locator("[data-act=react]").click()
    page.get_by_role("menuitem", name="x", exact=True).click()
    expect(_replies(page).nth(1)).to_contain_text("回答を中止しました")
    expect(question.locator(".reaction")).to_have_attribute("aria-pressed", "true")


def test_a_question_without_a_link_is_searched_for_in_the_sample_web(visit):
    """Without any account: the search, the reading and the answer, with the words that were searched for."""
    page = visit()
    page.locator("[data-prompt=search]").click()
    reply = _replies(page).nth(1)
    expect(reply).to_contain_text("月額850円")
    expect(reply).to_contain_text("検索：「コーヒー豆の定期便で一番安いのは？」")
    expect(reply).to_contain_text("kissa.sample")
    _shot(page, "ja-search")


def test_a_title_the_steps_and_what_to_ask_next(visit, playground):
    """As Slack shows them: the steps are collapsed, and the prompts fit the page. Then in English."""
    page = visit(place=f"#{playground.slack.direct('U0TANAKA')}")
    _write(page, ".main", "http://shop.sample/price の料金は？")
    answer = _replies(page).nth(1)
    steps = answer.locator("details.container")
    expect(steps.locator("summary")).to_have_text("読み取りの手順（1件）")
    expect(steps.locator(".text")).to_be_hidden()
    steps.locator("summary").click()
    expect(steps.locator(".text")).to_contain_text("読み取りました：")
    expect(page.locator(".thread .session-title")).to_have_text("shop.sample の料金は？")
    expect(page.locator(".main .suggested .press")).to_have_text(["Excelにする"])
    _shot(page, "ja-steps")
    page.locator(".main .suggested .press").click()
    expect(page.locator(".thread .file")).to_contain_text(".xlsx")
    page.locator(".rail select").select_option("U0SMITH")
    page.goto(f"{playground.url}#{playground.slack.direct('U0SMITH')}")
    expect(page.locator(".main .suggested")).to_contain_text("You can ask, for example")
    _write(page, ".main", "http://shop.sample/price How much is it?")
    expect(_replies(page).nth(1).locator("summary")).to_have_text("Steps taken (1)")
    expect(_replies(page).nth(1)).to_contain_text("Sources")
    expect(_replies(page).nth(1).locator(".feedback")).to_have_text(["Helpful", "Not helpful"])
    expect(page.locator(".main .suggested .press")).to_have_text(["Make an Excel file"])
    _shot(page, "en-speaker")


def test_prompts_are_suggested_in_the_messages_tab(visit, playground):
    """The app sets them when the tab is opened; a click asks. Here it is refused: no test reads the web."""
    page = visit(place=f"#{playground.slack.direct('U0TANAKA')}")
    buttons = page.locator(".suggested button")
    expect(buttons).to_have_count(3)
    expect(page.locator(".suggested")).to_contain_text("たとえば")
    _shot(page, "ja-prompts")
    page.locator("[data-act=inspector]").click()
    _press(page, "whitelist", WORDS["ja"]["unlisted"])
    buttons.nth(2).click()
    expect(page.locator(".main .message").first).to_contain_text("ja.wikipedia.org/wiki/JSON")
    expect(_replies(page).last).to_contain_text("ご利用が許可されていない")


def test_another_persons_stop_is_told_to_them_alone(visit, go):
    page = visit()
    _write(page, ".main", f"@Webリーダー http://news.sample/articles/tram {SLOWLY}")
    expect(_replies(page)).to_have_count(2)
    page.locator(".rail select").select_option("U0SATO")
    page.locator(".thread [data-act=stop]").click()
    expect(_replies(page).last).to_contain_text("質問された方だけです")
    expect(_replies(page).last).to_contain_text("あなただけに表示されています")
    _shot(page, "ja-strangers-stop")
    page.locator(".rail select").select_option("U0TANAKA")
    expect(_replies(page)).to_have_count(2)
    go.set()
    expect(_replies(page).nth(1)).to_contain_text("市交通局は28日")


def test_feedback_is_withdrawn_by_a_second_press_and_explained_in_a_modal(visit, playground):
    page = visit()
    page.locator("[data-prompt=price]").click()
    good, bad = (_replies(page).nth(1).locator(".feedback").nth(number) for number in (0, 1))
    for pressed in ("true", "false"):
        good.click()
        expect(good).to_have_attribute("aria-pressed", pressed)
    bad.click()
    modal = page.get_by_role("dialog", name="ご意見をお聞かせください")
    expect(modal.locator("input")).to_be_focused()
    modal.locator("input").fill("価格が古い")
    _shot(page, "ja-modal")
    modal.locator("[data-act=modal-submit]").click()
    expect(modal).to_have_count(0)
    expect(page.locator(".thread .whisper")).to_have_count(1)
    bad.click()
    expect(bad).to_have_attribute("aria-pressed", "false")
    bad.click()
    expect(modal.locator("input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(modal).to_have_count(0)


def test_the_home_tab_reads_a_link_in_a_modal_and_leads_back_to_the_thread(visit, playground):
    """How to ask, the modal with its errors, the answer, one's threads; and the admin's part."""
    page = visit(place=f"#{playground.slack.direct(USER)}/home")
    home = page.locator(".home-view")
    expect(home).to_contain_text("このアプリに質問できます。")
    expect(home).to_contain_text("📰")
    expect(home.get_by_role("heading", name="管理者の方へ")).to_have_count(0)
    button = home.get_by_role("button", name="リンクを読む")
    button.click()
    modal = page.get_by_role("dialog", name="リンクを読む")
    link, question = modal.get_by_label("ページのリンク"), modal.get_by_label("知りたいこと")
    expect(link).to_be_focused()
    link.fill("shop.sample/price")
    question.fill("スタンダードの月額は？")
    modal.get_by_role("button", name="送信").click()
    expect(modal.get_by_role("alert").first).to_contain_text("「https://」で始まる")
    _shot(page, "ja-reading-modal")
    link.fill("http://shop.sample/price")
    modal.get_by_role("button", name="送信").click()
    expect(modal).to_have_count(0)
    page.get_by_role("button", name="メッセージ", exact=True).click()
    expect(page.locator(".main .message").last).to_contain_text("さんからのご質問")
    page.locator(".main .replies").last.click()
    expect(_replies(page).nth(1)).to_contain_text("出典")
    page.get_by_role("button", name="ホーム", exact=True).click()
    expect(home).to_contain_text("最近のスレッド")
    _shot(page, "ja-home")
    home.get_by_role("link").last.click()
    expect(_replies(page).nth(1)).to_contain_text("出典")
    page.locator(".rail select").select_option("U0SUZUKI")
    page.get_by_role("button", name="ホーム", exact=True).click()
    expect(home.get_by_role("heading", name="管理者の方へ")).to_have_count(1)
    expect(home).to_contain_text("ダイレクトメッセージ：1件")
    expect(home).to_contain_text("応答あり")
    _shot(page, "ja-home-admin")


def test_a_reaction_reads_a_link_and_a_copied_link_is_read_like_a_page(visit, playground):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    _write(page, ".main", "今日の記事です http://news.sample/")
    message = page.locator(".main .message")
    message.hover()
    message.locator("[data-act=react]").click()
    page.get_by_role("menuitem", name="newspaper").click()
    expect(message.locator(".reaction")).to_have_text("📰 1")
    message.locator(".replies").click()
    expect(_replies(page).nth(1)).to_contain_text("出典")
    _shot(page, "ja-reaction")
    _menu(page, message, 3)
    expect(page.locator(".toast")).to_contain_text("リンクをコピーしました")
    copied = page.evaluate("navigator.clipboard.readText()")
    _write(page, ".main", f"@Webリーダー {copied} 今日の記事はどれですか？")
    answer = _replies(page).nth(1)
    expect(answer).to_contain_text("今日の記事です")
    _shot(page, "ja-permalink")
    answer.get_by_role("link", name="Slackのメッセージ").last.click()
    expect(_replies(page).first).to_contain_text("今日の記事です http://news.sample/")


def test_what_slack_does_is_switched_from_the_inspector(visit, playground, monkeypatch):
    """A late file, a refused update, a free plan, and sockets that end."""
    monkeypatch.setattr(conditions, "LATE_SECONDS", 9.0)
    page = visit()
    page.locator("[data-act=inspector]").click()
    _press(page, "late-file", "次のファイルは")
    _write(page, ".main", "@Webリーダー http://shop.sample/price の料金表をCSVにして")
    expect(_replies(page).last).to_contain_text("処理が終わり次第", timeout=20_000)
    _shot(page, "ja-late-file")
    expect(page.locator(".thread .file")).to_be_visible(timeout=20_000)
    expect(page.locator(".thread")).not_to_contain_text("処理が終わり次第")
    _shot(page, "ja-late-file-came")

    page.locator("[aria-label='次の呼び出し']").select_option("chat.update")
    page.locator("[data-act=refusals]").select_option("edit_window_closed")
    _press(page, "refuse", "edit_window_closed")
    _write(page, ".main", "@Webリーダー http://news.sample/articles/tram まとめて")
    expect(_replies(page)).to_have_count(2)
    expect(_replies(page).nth(1)).to_contain_text("市交通局は28日")

    page.locator("[data-act=plan]").click()
    expect(page.locator("[data-act=plan]")).to_have_text("有料プランに戻す")
    page.locator("[data-act=socket-on]").click()
    expect(page.locator("[data-act=socket-drop]")).to_be_visible()
    page.locator("[data-act=socket-slow]").click()
    playground.slack.sockets.hello_seconds = 0.1
    page.locator("[data-act=socket-drop]").click()
    assert playground.slack.wait_until(lambda: playground.slack.sockets.count(playground.slack.app.app_id))
    _write(page, ".main", "@Webリーダー http://forum.sample/thread/42 トマトを赤くする方法は？")
    expect(_replies(page).nth(1)).to_contain_text("日当たり")
    _shot(page, "ja-conditions")
    page.locator("[data-act=socket-off]").click()
    expect(page.locator("[data-act=socket-on]")).to_be_visible()


def test_scenes_are_opened_from_the_inspector(visit):
    """Another company's person is refused, a group DM is answered, another app's link is read."""
    page = visit()
    page.locator("[data-act=inspector]").click()
    page.locator("[data-act=shared]").click()
    expect(page.locator(".main h1")).to_have_text("# partners")
    page.locator(".rail select").select_option("U0GUEST")
    _write(page, ".main", "@Webリーダー http://news.sample/articles/tram まとめて")
    expect(page.locator(".main .whisper, .thread .whisper").first).to_contain_text("社外")
    _shot(page, "ja-shared-channel")
    page.locator(".rail select").select_option("U0TANAKA")
    page.locator("[data-act=group]").click()
    expect(page.locator(".main h1")).to_contain_text("mpdm-tanaka")
    _write(page, ".main", "@Webリーダー http://news.sample/articles/tram まとめて")
    expect(_replies(page).nth(1)).to_contain_text("市交通局は28日")
    page.locator("[data-act=feed]").click()
    expect(page.locator(".main .message").last).to_contain_text("新着です")
    _menu(page, page.locator(".main .message").last, 0)
    expect(_replies(page).nth(1)).to_contain_text("shop.sample")


def test_scripts_anywhere_are_only_text(visit, playground):
    """In a message, a block, a file's name, a cell, a link; nothing runs and nothing is lost."""
    slack = playground.slack
    client = WebClient(slack.app.bot_token, base_url=slack.api_url)
    slack.say("U0SATO", "general", HACK, typed=True, deliver=False)
    blocks: list[dict[str, Any]] = [
        {"type": "markdown", "text": f"**{HACK}** [x](javascript:window.hacked=1)"},
        {"type": "section", "text": {"type": "mrkdwn", "text": f"{HACK} <javascript:window.hacked=1|y>"}},
        {"type": "header", "text": {"type": "plain_text", "text": HACK}},
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [{"type": "link", "url": "javascript:window.hacked=1", "text": "z"}],
                }
            ],
        },
    ]
    client.chat_postMessage(channel="C0GENERAL", text=HACK, blocks=blocks)
    slack.say(
        "U0SATO", "general", "x", files=[(f"{HACK.replace('/', '')}.csv", HACK.encode())], deliver=False
    )
    slack.say("U0SATO", "general", "x", files=[("a.json", json.dumps({HACK: HACK}).encode())], deliver=False)
    page = visit()
    for button in page.locator("[data-act^=preview]").all():
        button.click()
    expect(page.locator(".preview th")).to_have_text(HACK)
    expect(page.locator(".preview .tree")).to_contain_text("window.hacked")
    expect(page.locator(".main .message").first).to_contain_text(HACK)
    expect(page.locator(".header")).to_have_text(HACK)
    assert page.locator(".main img, .main script, .main a[href^=javascript]").count() == 0
    assert page.evaluate("window.hacked") is None


def test_blocks_look_as_they_do_in_slack(visit, playground):
    """Every kind that the app uses, and a name for one that the page does not know."""
    slack = playground.slack
    client = WebClient(slack.app.bot_token, base_url=slack.api_url)
    text = (
        "# 見出し\n- 一\n  - 二\n1. 甲\n\n> 引用\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```\ncode\n```\n"
        "**太字**です ~~消~~ <https://a.example/?x=1&amp;y=2|ラベル>"
    )
    cell = {"type": "raw_text", "text": "セル"}
    blocks: list[dict[str, Any]] = [
        {"type": "markdown", "text": text},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "*太字* _斜体_ ~消~ `code` <@U0SATO> :x:\n>引用"},
        },
        {"type": "section", "text": {"type": "plain_text", "text": "*そのまま*"}},
        {"type": "divider"},
        {"type": "table", "rows": [[cell, cell]]},
        {"type": "context", "elements": [{"type": "plain_text", "text": "補足"}]},
        {
            "type": "actions",
            "elements": [
                {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "押す"}}
            ],
        },
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_list",
                    "style": "ordered",
                    "offset": 2,
                    "elements": [
                        {
                            "type": "rich_text_section",
                            "elements": [{"type": "text", "text": "三", "style": {"bold": True}}],
                        }
                    ],
                },
                {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "整形"}]},
            ],
        },
        {"type": "card", "title": "?"},
    ]
    client.chat_postMessage(channel="C0GENERAL", text="x", blocks=blocks)
    page = visit()
    markdown, rich = page.locator(".markdown"), page.locator(".rich")
    expect(markdown.locator("h3")).to_have_text("見出し")
    expect(markdown.locator("ul ul li")).to_have_text("二")
    expect(markdown.locator("ol li")).to_have_text("甲")
    expect(markdown.locator("blockquote")).to_have_text("引用")
    expect(markdown.locator("td.to-right")).to_have_text("2")
    expect(markdown.locator("pre")).to_have_text("code")
    expect(markdown.locator("strong")).to_have_text("太字")
    expect(markdown.get_by_role("link", name="ラベル")).to_have_attribute(
        "href", "https://a.example/?x=1&y=2"
    )
    section = page.locator(".section").first
    for tag, words in {
        "strong": "太字",
        "em": "斜体",
        "s": "消",
        "code": "code",
        ".mention": "@佐藤 健",
    }.items():
        expect(section.locator(tag)).to_have_text(words)
    expect(section.locator("blockquote")).to_have_text("引用")
    expect(page.locator(".section").nth(1)).to_have_text("*そのまま*")
    expect(page.locator(".message-body > .scroll th")).to_have_text(["セル", "セル"])
    expect(page.locator(".context")).to_have_text("補足")
    expect(page.get_by_role("button", name="押す")).to_be_visible()
    expect(rich.locator("ol")).to_have_attribute("start", "3")
    expect(rich.locator("ol strong")).to_have_text("三")
    expect(page.locator(".unknown")).to_contain_text("card")
    _shot(page, "ja-blocks")


def test_mentions_complete_from_the_keyboard(visit, playground):
    """Arrows, Enter, Escape; and Enter sends only once the input method has done its work."""
    page = visit()
    box = page.locator(".main textarea")
    box.focus()
    box.press_sequentially("@")
    options = page.locator(".main .completion li")
    expect(options).to_have_count(6)
    box.press("ArrowDown")
    box.press("ArrowDown")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    _shot(page, "ja-completion")
    box.press("Enter")
    expect(box).to_have_value("@sato ")
    box.press_sequentially("@Web")
    expect(options).to_have_count(1)
    box.press("Escape")
    expect(options).to_have_count(0)
    box.fill("@sato こんにちは")
    composing = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true})"
    box.evaluate(f"box => box.dispatchEvent({composing})")
    expect(box).to_have_value("@sato こんにちは")
    box.press("Shift+Enter")
    box.press("Enter")
    expect(page.locator(".main .message .mention")).to_have_text("@佐藤 健")
    assert playground.slack.timeline("general")[0]["text"] == "<@U0SATO> こんにちは"


def test_what_is_half_written_stays(visit):
    """While somebody looks elsewhere, or changes the language; all of its lines are seen again."""
    page = visit()
    page.locator(".main textarea").fill("書きかけ\n二行目\n三行目")
    page.locator(".place").nth(1).click()
    expect(page.locator(".main h1")).to_have_text("# random")
    expect(page.locator(".main textarea")).to_have_value("")
    page.locator(".place").first.click()
    page.locator("[data-act=language]").select_option("en")
    expect(page.locator(".main textarea")).to_have_attribute("placeholder", "Message # general")
    expect(page.locator(".main textarea")).to_have_value("書きかけ\n二行目\n三行目")
    page.wait_for_function(SEEN_WHOLE)
    page.locator(".main textarea").press("Enter")
    expect(page.locator(".main .message")).to_contain_text("書きかけ")
    expect(page.locator(".main textarea")).to_have_value("")


def test_a_second_enter_sends_nothing(visit, playground):
    """What is sent leaves the box before the server has answered; what was refused comes back."""
    page = visit()
    box = page.locator(".main textarea")
    box.fill("一度だけ")
    enter = "new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})"
    box.evaluate(f"box => {{ box.dispatchEvent({enter}); box.dispatchEvent({enter}) }}")
    expect(page.locator(".main .message")).to_have_count(1)
    _write(page, ".main", "/none x")
    expect(page.locator(".toast")).to_contain_text("/none というコマンドはありません")
    expect(box).to_have_value("/none x")
    assert [message["text"] for message in playground.slack.timeline("general")] == ["一度だけ"]


def test_a_file_that_cannot_be_sent_is_named_and_the_words_stay(visit):
    """Slack's own clients refuse an empty file, too; eleven files are one too many."""
    page = visit()
    chosen = page.locator(".main input[type=file]")
    chosen.set_input_files({"name": "空.txt", "mimeType": "text/plain", "buffer": b""})
    _write(page, ".main", "要約して")
    expect(page.locator("#toast")).to_have_text("「空.txt」は空のファイルのため送れません。")
    expect(page.locator(".main textarea")).to_have_value("要約して")
    page.locator(".main .tray button").click()
    chosen.set_input_files(
        [{"name": f"{n}.txt", "mimeType": "text/plain", "buffer": b"a"} for n in range(11)]
    )
    page.locator(".main textarea").press("Enter")
    expect(page.locator("#toast")).to_have_text("一度に送れるファイルは10個までです。")
    expect(page.locator(".main .tray li")).to_have_count(11)


def test_the_keyboard_reaches_what_the_mouse_reaches(visit):
    """The menu of a message opens, moves and closes, and the focus comes back."""
    page = visit()
    page.locator("[data-prompt=metadata]").focus()
    page.keyboard.press("Enter")
    expect(_replies(page)).to_have_count(2)
    more = _replies(page).first.locator("[data-act=more]")
    more.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".menu button").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".menu button").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".menu")).to_have_count(0)
    expect(more).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".thread")).to_be_hidden()


def test_commands_are_told_what_they_may_do(visit, playground):
    """Not in threads; alone they get help."""
    page = visit()
    page.locator(".main textarea").fill("/fetch ")
    page.locator(".main textarea").press("Enter")
    expect(page.locator(".main .whisper")).to_contain_text("Webページを読み取って、ご質問にお答えします。")
    root = playground.slack.say("U0SATO", "general", "x", deliver=False)
    page.goto(f"{playground.url}#C0GENERAL/{root}")
    _write(page, ".thread", "/fetch http://shop.sample/price")
    expect(page.locator(".toast")).to_contain_text("スレッド内ではコマンドを使えません")


def test_the_home_and_another_persons_seat(visit):
    """Whoever sits down sees their own messages and nobody's whispers."""
    page = visit()
    page.locator(".place").last.click()
    page.locator(".tab").last.click()
    expect(page.locator(".home-view")).to_contain_text("Webページの読み取りをお手伝いします")
    page.locator(".rail select").select_option("U0SATO")
    expect(page.locator(".main h1")).to_have_text("Webリーダー")
    page.locator(".place").first.click()
    expect(page.locator(".main h1")).to_have_text("# general")
    _write(page, ".main", "佐藤です")
    expect(page.locator(".main .author")).to_have_text("佐藤 健")
    _menu(page, page.locator(".main .message"), 5)
    expect(page.locator(".main .message")).to_have_count(0)


@pytest.mark.parametrize(
    "place", ["#%", "#C0NONE", "#C0GENERAL/1.2", "#D00000002", "#<script>", "#C0GENERAL/home/x"]
)
def test_an_address_that_leads_nowhere_shows_a_channel(visit, place):
    """A thread of an earlier run, somebody else's conversation, nonsense."""
    page = visit(place=place)
    expect(page.locator(".main h1")).to_have_text("# general")
    expect(page.locator(".thread")).to_be_hidden()


def test_language_and_colours_are_remembered(visit):
    page = visit("en", color_scheme="dark")
    _shot(page, "en-dark")
    expect(page.locator(".answerer")).to_have_text("The offline reader answers")
    page.locator("[data-act=language]").select_option("ja")
    page.locator("[data-act=theme]").select_option("light")
    page.reload()
    expect(page.locator(".answerer")).to_have_text("オフラインリーダーが回答します")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 250, 248)"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_phone_shows_one_column(visit, language):
    """Nothing is wider than the screen, and what is touched is big enough."""
    touched = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    page = visit(language, viewport=PHONE, color_scheme="dark" if language == "en" else "light", **touched)
    _shot(page, f"{language}-phone-welcome")
    page.locator("[data-prompt=price]").tap()
    expect(page.locator(".thread .file")).to_be_visible()
    expect(page.locator(".main")).to_be_hidden()
    _shot(page, f"{language}-phone-thread")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.locator("[data-act=close-thread]").tap()
    page.locator(".main .narrow-only").tap()
    expect(page.locator(".rail")).to_be_in_viewport()
    page.touchscreen.tap(PHONE["width"] - 10, PHONE["height"] / 2)
    expect(page.locator(".rail")).not_to_be_in_viewport()
    page.locator(".main .narrow-only").tap()
    page.locator(".place").nth(1).tap()
    expect(page.locator(".main h1")).to_have_text("# random")
    small = "nodes => nodes.filter(node => node.offsetParent && node.offsetHeight < 32).length"
    assert page.locator("button").evaluate_all(small) == 0
    page.go_back()
    expect(page.locator(".main h1")).to_have_text("# general")


@pytest.mark.parametrize(
    ("viewport", "options"),
    [
        ({"width": 375, "height": 740}, {"color_scheme": "light"}),
        ({"width": 375, "height": 740}, {"color_scheme": "dark"}),
        ({"width": 720, "height": 450}, {"device_scale_factor": 2}),  # 1440 pixels at 200 %
    ],
    ids=["light", "dark", "zoomed"],
)
def test_axe_finds_no_violation(visit, viewport, options):
    """Of the welcome, an answer, the examples and the inspector with a fault that waits."""
    if not AXE.exists():
        pytest.skip("axe is not here: `make axe` fetches it")
    page = visit(viewport=viewport, bypass_csp=True, **options)

    def check(name):
        page.evaluate(AXE.read_text("utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        told = [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found]
        assert told == [], name
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]

    check("welcome")
    page.locator("[data-prompt=price]").click()
    expect(page.locator(".thread .file")).to_be_visible()
    check("answer")
    page.locator("[data-act=close-thread]").click()
    page.locator(".main [data-act=examples]").click()
    check("examples")
    page.keyboard.press("Escape")
    page.locator("[data-act=inspector]").click()
    page.locator("[data-act=fail-429]").click()
    expect(page.locator(".armed")).to_be_in_viewport()
    check("inspector")


def test_the_keyboard_goes_with_the_pane_that_is_shown(visit):
    """On a narrow screen a thread covers the channel; once closed, it gives the keyboard back."""
    page = visit(viewport={"width": 375, "height": 740})
    page.locator(".main [data-act=examples]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".thread textarea")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".thread")).to_be_hidden()
    expect(page.locator(".main textarea")).to_be_focused()


def test_the_keyboard_begins_in_the_box_and_a_link_leads_back_to_it(visit, playground):
    """A direct message asks for no mention; the examples cover nothing."""
    page = visit()
    box = page.locator(".main textarea")
    expect(box).to_be_focused()
    page.locator("[data-act=language]").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#skip")).to_be_focused()
    expect(page.locator("#skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(box).to_be_focused()
    assert "#main" not in page.url

    page.locator("[data-prompt=metadata]").click()
    expect(_replies(page)).to_have_count(2)
    expect(page.locator(".thread textarea")).to_be_focused()
    page.locator(".main [data-act=examples]").click()
    menu = page.locator(".menu").bounding_box()
    assert menu
    for other in (".main .list", ".main .composer", ".thread", ".bar"):
        box_of = page.locator(other).bounding_box()
        assert box_of
        apart_y = menu["y"] + menu["height"] <= box_of["y"] or box_of["y"] + box_of["height"] <= menu["y"]
        apart_x = menu["x"] + menu["width"] <= box_of["x"] or box_of["x"] + box_of["width"] <= menu["x"]
        assert apart_x or apart_y, other
    expect(page.locator(".menu .proves")).to_have_count(page.locator(".menu button").count())
    page.goto(f"{playground.url}#{playground.slack.direct('U0TANAKA')}")
    expect(page.locator(".main .welcome")).to_contain_text("メンションは要りません")
    expect(page.locator(".main .welcome")).not_to_contain_text("@")


def test_a_refusal_is_seen_where_the_question_was_asked_and_a_fault_until_it_happens(visit, playground):
    """Where a thread covers the channel, the channel stays; a planned fault outlives a reload."""
    page = visit(viewport=TABLET)
    page.locator("[data-act=inspector]").click()
    _press(page, "whitelist", WORDS["ja"]["unlisted"])
    _write(page, ".main", "@Webリーダー http://news.sample/articles/tram まとめて")
    expect(page.locator(".main .whisper")).to_be_in_viewport()
    expect(page.locator(".thread")).to_be_hidden()
    _press(page, "whitelist", WORDS["ja"]["relisted"])
    _press(page, "fail-500", "500")
    expect(page.locator(".armed")).to_contain_text("500")
    page.locator("[data-act=inspector]").click()
    page.reload()
    expect(page.locator(".armed")).to_contain_text("500")
    page.locator("[data-act=disarm]").click()
    expect(page.locator(".armed")).to_have_count(0)
    playground.slack.faults.next("*", Fault(status=429, retry_after=1))
    expect(page.locator(".armed")).to_contain_text("429")
    _write(page, ".main", "@Webリーダー http://news.sample/articles/tram まとめて")
    expect(page.locator(".armed")).to_have_count(0)
    expect(_replies(page).nth(1)).to_contain_text("市交通局は28日")


def test_a_tablet_shows_the_thread_in_place_of_the_channel(visit, playground):
    """Three columns would be too narrow to read; the inspector says whose entries it shows."""
    root = playground.slack.say("U0SATO", "general", "質問", deliver=False)
    page = visit(viewport=TABLET)
    page.locator("[data-act=inspector]").click()
    expect(page.locator("[data-act=range]")).to_have_value("all")
    page.goto(f"{playground.url}#C0GENERAL/{root}")
    expect(page.locator(".thread")).to_be_visible()
    expect(page.locator(".main")).to_be_hidden()
    expect(page.locator("[data-act=range]")).to_have_value("thread")


def test_five_hundred_messages_are_shown(visit, playground):
    """The thread opens at its end, and one more message comes at once."""
    slack = playground.slack
    root = slack.say("U0SATO", "general", "はじめ", deliver=False)
    for number in range(500):
        slack.say(
            "U0SATO", "general", f"返信 {number} *太字* <https://a.example/{number}>", root, deliver=False
        )
    page = visit(place=f"#C0GENERAL/{root}")
    expect(_replies(page)).to_have_count(501)
    slack.say("U0SATO", "general", "最後", root, deliver=False)
    expect(_replies(page).last).to_be_in_viewport()
    expect(_replies(page).last).to_contain_text("最後")


def test_a_server_that_stops_and_comes_back(browser):
    """The page says so, and returns by itself to what the new server has."""
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    with Playground({}, port=None) as first:
        port = int(first.url.rsplit(":", 1)[1].strip("/"))
        page.goto(first.url)
        _write(page, ".main", "前の話")
        expect(page.locator(".main .message")).to_have_count(1)
    expect(page.locator("#lost")).to_contain_text(WORDS["ja"]["lost"])
    _shot(page, "ja-lost")
    with Playground({}, port=port) as second:
        expect(page.locator("#lost")).to_be_hidden()
        expect(page.locator(".main .message")).to_have_count(0)
        second.slack.say("U0SATO", "general", "次の話", deliver=False)
        expect(page.locator(".main .message")).to_contain_text("次の話")
        context.close()


def test_with_a_key_the_page_names_the_model(browser):
    """Nothing is asked of it here."""
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    with Playground({"ANTHROPIC_API_KEY": "sk-ant-x", "ANTHROPIC_MODEL": "claude-x"}) as running:
        page.goto(running.url)
        expect(page.locator(".answerer")).to_have_text("Claude（claude-x）が回答します")
        assert "sk-ant-" not in page.content()
        context.close()


def test_the_app_can_keep_its_tables_in_dynamodb(dynamodb_endpoint):
    """In tables of the playground's own; the rest is the same."""
    environ = {"DYNAMODB_ENDPOINT_URL": dynamodb_endpoint, "DYNAMODB_TABLE_PREFIX": f"p{uuid4().hex[:8]}-"}
    with Playground(environ, store="dynamodb") as running:
        slack = running.slack
        ts = slack.say("U0TANAKA", "general", "<@U0READER> <http://news.sample/articles/tram> を要約して")
        assert slack.wait_until(
            lambda: "市交通局" in json.dumps(slack.thread("general", ts), ensure_ascii=False), 30
        )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_command_starts_and_stops(tmp_path, number):
    """It prints its address, answers there, and leaves nothing behind, also when its terminal is closed."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "slackapp", "playground", "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        url = next(line for line in lines if "open: " in line).rpartition(" ")[2].strip()
        with contextlib.closing(urllib.request.urlopen(url, timeout=5)) as answer:
            assert b"/page/app.js" in answer.read()
        process.send_signal(number)
        assert process.wait(60) == 0
    assert list(tmp_path.iterdir()) == []
