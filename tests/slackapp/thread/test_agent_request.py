"""What the agent is asked, made from a request and its thread."""

from typing import Any

import pytest

from fetcher.agent import AttachedFile, Limits, Turn
from fetcher.agent.model.thread_messages import links
from slackapp import wording
from slackapp.listeners.incoming import Kind
from slackapp.reply.answer_messages import messages, root_message
from slackapp.slack.message import Mark, MessageKind
from slackapp.thread.agent_request import Thread, ask_request, read_message
from tests.slackapp.answers import BOT, USER, answer, request

NAMES = {USER: "田中 花子", "U0SATO": "佐藤 健"}
LIMITS = Limits(fetches=3)


def said(text, ts="1.1", user="U0SATO", **fields):
    return {"ts": ts, "user": user, "text": text, **fields}


def ours(message, ts, part="0", key="k0"):
    """A message of ours as Slack gives it back."""
    mark = Mark(key=key, part=part).metadata(message.kind)
    return {
        "ts": ts,
        "user": BOT,
        "bot_id": "B1",
        "text": message.text,
        "blocks": list(message.blocks),
        "metadata": mark,
    }


def asked(*thread, **fields):
    messages_read = tuple(read_message(message, BOT) for message in thread)
    incoming = request(**{"ts": "9.9", "thread_ts": "1.1"} | fields)
    return ask_request(incoming, Thread(messages=messages_read, names=NAMES, bot_user=BOT), LIMITS)


class Linked:
    """Finds a message of another channel behind every question."""

    def attached(self, *_):
        url = "https://x.slack.com/archives/C0SECRET/p1700000000000001?thread_ts=1.1"
        return (AttachedFile(name="m", url=url, download=lambda *_: b"", media_type="text/markdown"),)


def test_where_searches_are_off_no_words_leave_also_through_a_link_to_a_message():
    linked: Any = Linked()

    def searches(channel, off):
        incoming, thread = request(channel=channel), Thread(names=NAMES, bot_user=BOT)
        return ask_request(incoming, thread, LIMITS, linked_messages=linked, search_off=off).search

    assert searches("C0OTHER", ["C0MORE"])
    assert not searches("C0MORE", ["C0MORE"])
    assert not searches("C0OTHER", ["C0MORE", "C0SECRET"])


def test_a_question_is_asked_in_its_authors_name():
    """The mention of us is gone, the link is its target."""
    made = asked()
    assert (made.question, made.author, made.history) == ("https://a.example/price いくら？", "田中 花子", ())
    assert (made.limits, made.correlation_id) == (LIMITS, "T0LOCAL:C0GENERAL:9.9")


def test_the_thread_is_the_history_with_names():
    """Authors and mentions are named, links unwrapped, escapes undone."""
    made = asked(said(f"<@{USER}> &lt;これ&gt; <https://a.example/?a=1&amp;b=2|資料>"))
    assert made.history == (Turn(author="佐藤 健", text="@田中 花子 <これ> https://a.example/?a=1&b=2"),)


def test_the_message_that_asks_and_what_came_after_are_no_history():
    """A run that is done again sees what the first one saw."""
    made = asked(said("前"), said("質問", ts="9.9", user=USER), said("後", ts="10.1"))
    assert [turn.text for turn in made.history] == ["前"]


def test_timestamps_are_compared_as_times():
    """A shorter number is an earlier time."""
    made = asked(said("前", ts="9.5"), said("後", ts="10.5"), ts="10.1")
    assert [turn.text for turn in made.history] == ["前"]


def test_our_answer_is_the_assistants_turn():
    """As Markdown, with the links of its sources."""
    (message,) = messages(answer())
    (turn,) = asked(ours(message, "2.2")).history
    assert turn.ours
    assert turn.text.startswith("月額は1,000円です。 [1]")
    assert "[料金表](https://a.example/price)" in turn.text


@pytest.mark.parametrize("mark", [">", "&gt;"])
def test_the_first_message_of_a_commands_thread_is_what_its_asker_said(mark):
    """We posted it, and Slack may have escaped the marks of its quote."""
    posted = ours(root_message(USER, "https://a.example/price の\n>20％引きは？"), "1.1", part="root_message")
    escaped = posted | {"text": posted["text"].replace("\n>", f"\n{mark}")}
    assert asked(escaped).history == (
        Turn(author="田中 花子", text="https://a.example/price の\n>20％引きは？", by_asker=True),
    )


def test_the_parts_of_an_answer_are_one_turn():
    """Neither their numbers nor the buttons are in it."""
    parts = messages(answer("文です。" * 5_000))
    assert len(parts) > 1
    (turn,) = asked(*(ours(part, f"2.{n}", part=str(n)) for n, part in enumerate(parts))).history
    assert turn.text.count("文です。") == 5_000
    assert "続き" not in turn.text


@pytest.mark.parametrize("sort", [MessageKind.PROGRESS, MessageKind.NOTICE])
def test_placeholders_and_notices_are_no_answers(sort):
    (message,) = messages(answer())
    marked = ours(message, "2.2") | {"metadata": Mark(key="k0", part="0").metadata(sort)}
    assert asked(marked).history == ()


def test_a_stream_before_its_end_is_no_answer():
    """It has no mark yet."""
    assert asked({"ts": "2.2", "user": BOT, "bot_id": "B1", "text": "まだ途中"}).history == ()


def test_what_we_began_to_say_about_the_question_is_no_history():
    """An earlier worker's answer to the same message does not answer it again."""
    (message,) = messages(answer())
    assert asked(ours(message, "9.1", key="T0LOCAL:C0GENERAL:9.9")).history == ()


@pytest.mark.parametrize("bot_id", [None, "B0OTHER"])
def test_a_mark_that_another_forged_is_no_answer(bot_id):
    """People and other apps can read our marks, and apps can copy them."""
    (message,) = messages(answer())
    forged = ours(message, "2.2") | {"user": "U0SATO", "bot_id": bot_id}
    assert [turn.ours for turn in asked(forged).history] == [False]


def test_who_asks_is_known_by_the_id_and_not_by_the_name():
    """Two people may have one name; what another wrote may not leave in a search."""
    made = asked(said("私の言葉", user=USER), said("別の田中です", user="U0SATO"))
    assert [turn.by_asker for turn in made.history] == [True, False]
    assert made.quoted == ()
    shortcut = asked(kind=Kind.SHORTCUT, ts="", text="来期の予算 <https://b.example/x|資料>")
    assert "来期の予算" in shortcut.quoted[0]


def test_files_are_mentioned_by_name():
    """Those of people, those of the question, and those that we gave."""
    given = {"ts": "2.2", "user": BOT, "bot_id": "B1", "text": "", "files": [{"name": "out.csv"}]}
    made = asked(said("資料です", files=[{"name": "見積.pdf"}]), given, files=("メモ.txt",))
    assert [turn.text for turn in made.history] == [
        "資料です\n（添付ファイル：見積.pdf）",
        "（添付ファイル：out.csv）",
    ]
    assert made.question.endswith("（添付ファイル：メモ.txt）")


def test_links_that_only_blocks_show_are_kept():
    """A label in the composer has its target in the blocks alone."""
    link = {"type": "link", "url": "https://b.example/", "text": "ここ"}
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [link]}]}]
    made = asked(said("ここを見て", blocks=blocks), said("いくら？", ts="9.9", blocks=blocks))
    assert made.history[0].text == "ここを見て\nhttps://b.example/"
    assert made.links == ("https://b.example/",)


def test_half_a_surrogate_pair_in_the_thread_does_not_reach_the_model():
    """JSON can escape it, UTF-8 cannot say it: a request that holds it cannot be sent."""
    link = {"type": "link", "url": "https://b.example/\ud83d"}
    made = asked(said("絵\ud83d文字", blocks=[link], files=[{"name": "\udc00.csv"}]))
    assert made.history[0].text == "絵?文字\n<https://b.example/?>\n（添付ファイル：?.csv）"


def test_nobody_known_has_a_name_too():
    assert asked(said("あ", user="U0GONE")).history[0].author == wording.unknown_author()


def test_a_shortcut_asks_about_the_messages_links():
    """The message stands in the history; the question names its links."""
    text = "これ読んで <https://b.example/x|資料>"
    made = asked(said("前置き"), said(text, ts="3.3"), kind=Kind.SHORTCUT, ts="", text=text)
    assert made.question == f"{wording.shortcut_question()}\n\nhttps://b.example/x"
    assert [turn.text for turn in made.history] == ["前置き", "これ読んで https://b.example/x"]


def test_a_shortcut_without_a_thread_brings_its_message_along():
    made = asked(kind=Kind.SHORTCUT, ts="", text="これ <https://b.example/x|資料>")
    assert made.question == f"{wording.shortcut_question()}\n\nこれ https://b.example/x"


@pytest.mark.parametrize("fields", [{"author": BOT}, {"marked": True}])
def test_a_shortcut_on_a_message_of_ours_names_no_link(fields):
    """What we wrote is in the history; the thread's record says what of it may be opened."""
    (message,) = messages(answer())
    incoming = {"kind": Kind.SHORTCUT, "ts": "", "text": "<https://evil.example/c/1>"}
    made = asked(ours(message, "2.2"), **incoming, **fields)
    assert (made.question, made.links) == (wording.shortcut_question(), ())
    assert made.history[0].ours


@pytest.mark.parametrize(
    "name", ["https://evil.example/c/1.csv", "merger-plan.ai", "案件project.pl", "x evil.com/1"]
)
def test_names_and_what_another_installation_wrote_are_no_links(name):
    """A file may be called like a host, and so may a person who is mentioned: none of them is opened."""
    marked = said(f"続きは {name} です", metadata=Mark(key="k", part="0").metadata(MessageKind.ANSWER))
    made = asked(said("これ", files=[{"name": name}]), said("<@U0SATO|" + name + ">"), marked, files=(name,))
    assert links(made) == links(asked())
    assert made.question.count("添付ファイル") == 1


def test_a_person_called_like_a_host_is_no_link():
    thread = Thread(names={"U0SATO": "佐藤 evil.com/x"}, bot_user=BOT)
    made = ask_request(request(text="<@U0SATO> さんの件"), thread, LIMITS)
    assert "佐藤 evil. com/x" in made.question
    assert links(made) == ()


def test_the_record_of_the_thread_goes_along():
    thread = Thread(names=NAMES, bot_user=BOT)
    assert ask_request(request(), thread, LIMITS, ("https://a.example/",)).known_urls == (
        "https://a.example/",
    )
