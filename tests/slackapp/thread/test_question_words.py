"""Cheap rules that tell thanks and questions from other talk."""

import pytest

from slackapp.thread.question_words import asks, only_thanks

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
