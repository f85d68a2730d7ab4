"""The language of a question, and how it travels."""

import asyncio
import threading
from contextvars import copy_context

import pytest

from fetcher import wording
from fetcher.event_loop_thread import EventLoopThread
from fetcher.wording.language import Language, current_language, speaking

SAID = {
    Language.JAPANESE: "申し訳ありません。回答を作成できませんでした。質問を変えて、もう一度お試しください。",
    Language.ENGLISH: "Sorry, no answer could be made. Please change the question and try again.",
}


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("ja-JP", Language.JAPANESE),
        ("en-US", Language.ENGLISH),
        ("en-GB", Language.ENGLISH),
        ("en", Language.ENGLISH),
        ("de-DE", Language.JAPANESE),
        ("zh-CN", Language.JAPANESE),
        ("enx", Language.JAPANESE),
        ("", Language.JAPANESE),
    ],
)
def test_english_locales_are_english_and_all_others_japanese(locale, language):
    assert Language.of_locale(locale) is language


def test_messages_are_japanese_unless_a_question_has_another_language():
    assert wording.no_answer() == SAID[Language.JAPANESE]
    with speaking(Language.ENGLISH):
        assert wording.no_answer() == SAID[Language.ENGLISH]
        with speaking(Language.JAPANESE):
            assert wording.no_answer() == SAID[Language.JAPANESE]
        assert current_language() is Language.ENGLISH
    assert current_language() is Language.JAPANESE


def test_a_language_that_has_to_be_looked_up_is_looked_up_once_and_only_if_needed():
    asked = []

    def choose():
        asked.append(1)
        return Language.ENGLISH

    with speaking(choose):
        assert asked == []
        assert [wording.no_answer(), wording.no_answer()] == [SAID[Language.ENGLISH]] * 2
    assert asked == [1]


def _say():
    return wording.no_answer()  # the catalogue is chosen where the name is looked up


async def _nothing():
    """Has nothing to close."""


def test_it_reaches_tasks_and_threads_and_no_other_question():
    """Two questions at a time, each in its language: in tasks, in threads of asyncio and across loops."""

    async def say(language):
        with speaking(language):
            async with asyncio.TaskGroup() as group:
                told = [group.create_task(asyncio.to_thread(_say)) for _ in range(3)]
            there = EventLoopThread("agent")
            elsewhere = await asyncio.wrap_future(there.submit(asyncio.to_thread(_say)))
            await asyncio.to_thread(there.close, _nothing)
            return {elsewhere, *(each.result() for each in told)}

    async def both():
        return await asyncio.gather(*map(say, Language))

    assert asyncio.run(both()) == [{SAID[language]} for language in Language]


def test_a_plain_thread_needs_the_context():
    told = []
    with speaking(Language.ENGLISH):
        context = copy_context()
    thread = threading.Thread(target=lambda: told.append(context.run(_say)))
    thread.start()
    thread.join()
    assert told == [SAID[Language.ENGLISH]]


def test_what_no_catalogue_has_is_no_attribute():
    with pytest.raises(AttributeError):
        wording.no_such_message  # type: ignore[attr-defined] # noqa: B018
