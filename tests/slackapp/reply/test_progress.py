"""What the agent does, as people watch it."""

import pytest

from fetcher.agent import Progress, Step
from slackapp import wording
from slackapp.reply.progress import ProgressTracker, ProgressView

A, B = "https://a.example/x", "https://b.example/y"


def seen(*steps):
    watch = ProgressTracker()
    for step in steps:
        watch.update(step)
    return watch.view


def searching(query):
    return Progress(step=Step.SEARCHING, title=query)


def fetching(url):
    return Progress(step=Step.FETCHING, url=url)


def reading(url, title="題"):
    return Progress(step=Step.READING, url=url, title=title)


def thinking():
    return Progress(step=Step.THINKING)


def writing(text=""):
    return Progress(step=Step.WRITING, text=text)


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        ([], [wording.accepted()]),
        ([fetching(A)], [wording.accepted(), "• " + wording.opening("a.example")]),
        ([fetching(A), reading(A)], [wording.accepted(), "• " + wording.read("題")]),
        (
            [fetching(A), fetching(B), reading(B, "B")],
            [wording.accepted(), "• " + wording.opening("a.example"), "• " + wording.read("B")],
        ),
        (
            [fetching(A), fetching(B), reading("https://b.example/moved", "B")],
            [wording.accepted(), "• " + wording.opening("a.example"), "• " + wording.read("B")],
        ),
        (
            [fetching(A), reading("https://c.example/")],
            [wording.accepted(), "• " + wording.read("題")],
        ),
        ([reading(A)], [wording.accepted(), "• " + wording.read("題")]),
        ([reading(A), thinking()], [wording.thinking(), "• " + wording.read("題")]),
        (
            [thinking(), fetching(A)],
            [wording.accepted(), "• " + wording.opening("a.example")],
        ),
        ([thinking(), writing()], [wording.writing()]),
        ([fetching(A), writing()], [wording.writing(), "• " + wording.not_read("a.example")]),
        ([writing(), fetching(A)], [wording.accepted(), "• " + wording.opening("a.example")]),
        ([fetching(A), reading(A, " ")], [wording.accepted(), "• " + wording.read("a.example")]),
    ],
)
def test_the_placeholder_says_what_is_being_done(steps, lines):
    """Redirects keep their place, and what was not read when the writing began was not to be read."""
    assert seen(*steps).message().text.split("\n") == lines


def test_a_search_is_shown_with_its_words_and_makes_no_link():
    """The words are the model's own."""
    view = seen(searching("豆 https://evil.example/ <!channel>"), fetching(A), writing("b\n"))
    assert "• 検索：「豆 https: //evil.example/ &lt;!channel&gt;」" in view.message().text
    titles = [chunk.get("title", "") for chunk in view.chunks(None, "t")]
    assert any(title.startswith("検索：") for title in titles)
    assert "://evil" not in repr((view.message(), titles))


def test_titles_are_short_and_harmless():
    text = seen(fetching(A), reading(A, "<!channel> " + "長" * 500)).message().text
    assert "&lt;!channel&gt;" in text
    assert len(text) < 200


def test_many_pages_show_the_newest():
    view = seen(*(fetching(f"https://h{number}.example/") for number in range(30)))
    assert "h29.example" in view.message().text
    assert "h5.example" not in view.message().text


def test_a_stream_is_told_what_changed():
    """Each task by its id, and only the text that is new."""
    first = seen(fetching(A))
    assert [chunk["id"] for chunk in ProgressView().chunks(None, "t")] == ["t-begin"]
    assert [(chunk["id"], chunk["status"]) for chunk in first.chunks(ProgressView(), "t")] == [
        ("t-begin", "complete"),
        ("t-0", "in_progress"),
    ]
    second = seen(fetching(A), reading(A), writing("一行\n"))
    assert [(chunk["type"], chunk.get("id"), chunk.get("status")) for chunk in second.chunks(first, "t")] == [
        ("task_update", "t-0", "complete"),
        ("task_update", "t-writing", "in_progress"),
        ("markdown_text", None, None),
    ]
    third = seen(fetching(A), reading(A), writing("一行\n"), writing("二行\n"))
    assert third.chunks(second, "t") == [{"type": "markdown_text", "text": "二行\n"}]
    assert third.chunks(third, "t") == []


def test_a_new_stream_is_told_everything():
    view = seen(fetching(A), reading(A), writing("一行\n"))
    assert len(view.chunks(None, "t")) == 4


def test_streamed_text_makes_no_mention():
    """The stream is Markdown, in which Slack's own marks would live."""
    view = seen(fetching(A), reading(A), writing(f"<!here> <{A}> <https://b.example/> 1 < 2"))
    text = view.chunks(seen(fetching(A), reading(A)), "t")[-1]["text"]
    assert text == f"&lt;!here>  {A}   https: //b.example/  1 &lt; 2"


def test_a_title_makes_no_link():
    """It is the page's own, and Slack makes links of bare URLs in text."""
    view = seen(fetching(A), reading(A, title="https://evil.example/c/1"))
    assert "https: //evil.example/c/1" in view.message().text
    assert "://evil" not in repr((view.message(), view.chunks(None, "t")))


def test_a_preview_has_an_end():
    """Slack takes only so much; the whole answer comes when it is ready."""
    assert len(seen(*(writing("長" * 1_000) for _ in range(20))).text) == 8_000


def test_a_stream_has_a_task_for_the_thought_that_ends_with_it():
    """It is done when a page is opened or the writing begins, and begins again with the next thought."""
    first, second = seen(thinking()), seen(thinking(), writing("a\n"))

    def tasks(view, before):
        return [
            (chunk["title"], chunk["status"])
            for chunk in view.chunks(before, "t")
            if chunk["type"] == "task_update"
        ]

    assert tasks(first, ProgressView())[-1] == (wording.thinking(), "in_progress")
    assert (wording.thinking(), "complete") in tasks(second, first)
    assert tasks(seen(thinking(), fetching(A)), first)[-1] == (wording.thinking(), "complete")
