"""Cheap rules that tell thanks and questions from other talk."""

import pytest

from slackapp.thread.question_words import asks, asks_for_help, asks_to_stop, only_thanks

THANKS = [
    "ありがとう！",
    "ありがとうございます。助かりました :pray:",
    "どうもありがとうございました😊",
    "了解です",
    "承知しました。ありがとうございます",
    "なるほど、ありがとうございます！",
    "thanks!",
    "Thank you so much",
    "お疲れさまです。了解しました。",
    "わかりました、調べていただきありがとうございます",
    "ＴＨＡＮＫＳ",
]
MORE_THAN_THANKS = [
    "",
    "！",
    ":pray:",
    "はい",
    "OK",
    "お願いします",
    "ありがとう。年額は？",
    "ありがとう、CSVにして",
    "了解です、では15時に会議室で",
    "ありがとうございます <https://a.example/>",
    "鈴木さんありがとうの件ですが",
    "了解ですが、税込みの金額でお願いします",
    "ありがとう" * 40,
]


@pytest.mark.parametrize("text", THANKS)
def test_thanks_are_only_thanks(text):
    assert only_thanks(text)


@pytest.mark.parametrize("text", MORE_THAN_THANKS)
def test_what_says_more_is_more_than_thanks(text):
    assert not only_thanks(text)


@pytest.mark.parametrize(
    "text",
    [
        "年額は？",
        "年額はいくらですか",
        "年額はいくら",
        "税込みの表をCSVにして",
        "<https://a.example/?a=1> を要約してください。",
        "もう少し詳しく教えて！",
        "ほかのプランも知りたいです",
        "How much is it?",
    ],
)
def test_questions_and_requests_ask(text):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "了解です、では15時に会議室で",
        "<https://a.example/?a=1> を共有します",
        "https://a.example/?a=1 です",
        "いつもの会議室で",
        "それは知っていました。",
        "午後に確認しておきます",
        "よろしくお願いします",
        "",
    ],
)
def test_other_talk_does_not_ask(text):
    assert not asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "止めて",
        "やめてください。",
        "ストップ！",
        "キャンセルして",
        "回答を中止してください",
        "Stop!",
        "cancel please",
    ],
)
def test_a_request_to_stop_is_nothing_else(text):
    assert asks_to_stop(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "定期便を止めて",
        "キャンセル料は？",
        "解約のキャンセルはできますか",
        "bus stop",
        "中止？",
        "止めても料金はかかる？",
    ],
)
def test_what_only_speaks_of_stopping_stops_nothing(text):
    assert not asks_to_stop(text)


@pytest.mark.parametrize(
    "text",
    [
        "help",
        "ヘルプ",
        "使い方",
        "使い方を教えてください",
        "このアプリの使い方は？",
        "何ができますか？",
        "What can you do?",
    ],
)
def test_a_call_for_help_is_nothing_else(text):
    assert asks_for_help(text)


@pytest.mark.parametrize(
    "text", ["", "ヘルプデスクの電話番号は", "洗濯機の使い方を教えて", "図書館では何ができますか"]
)
def test_what_speaks_of_something_else_is_no_call_for_help(text):
    assert not asks_for_help(text)
