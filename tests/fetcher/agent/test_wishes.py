"""What somebody who asks wants, read from the words alone."""

import pytest

from fetcher.agent.passages import rank
from fetcher.agent.wishes import wish


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("https://a.example/ の料金表をCSVにして", ("csv",)),
        ("この表をＣＳＶで", ("csv",)),
        ("CSVでください", ("csv",)),
        ("料金プラン csv", ("csv",)),
        ("CSV形式で出力して", ("csv",)),
        ("エクセルでほしい", ("csv",)),
        ("価格一覧をJSONにしてください", ("json",)),
        ("JSONで", ("json",)),
        ("CSVとJSONで", ("csv", "json")),
        ("エクスポートして", ("csv",)),
        ("表にまとめて", ("csv",)),
        ("料金表をください", ("csv",)),
        ("the price table as CSV please", ("csv",)),
        ("give me the prices as a JSON file", ("json",)),
        ("export the table", ("csv",)),
        ("Download this table", ("csv",)),
        ("CSVで料金表をください", ("csv",)),
        ("CSVで、お願いします", ("csv",)),
        ("CSVでもらえますか？", ("csv",)),
        ("CSVでくれない？", ("csv",)),
        ("CSVでいただけませんか", ("csv",)),
        ("CSVに変換できますか？", ("csv",)),
        ("CSVに料金表をまとめて", ("csv",)),
        ("CSVにしてもらえますか", ("csv",)),
        ("JSONでもお願いします", ("json",)),
        ("CSVを作って", ("csv",)),
        ("さっきのCSVをもう一度ください", ("csv",)),
        ("CSVとは何ですか", ()),
        ("CSVですか", ()),
        ("CSVについて教えて", ()),
        ("エクスポート機能はありますか", ()),
        ("how to export the data?", ()),
        ("代表取締役は誰ですか", ()),
        ("発表を要約して", ()),
        ("料金表を教えて", ()),
        ("https://a.example/csv.json", ()),
    ],
)
def test_a_file_is_asked_for_in_many_words(question, files):
    assert wish(question).files == files


@pytest.mark.parametrize(
    "question",
    [
        "さっきのCSVで足りない列は？",
        "CSVで確認しました。ありがとう",
        "CSVで確認しましたが、送料を教えて",
        "CSVでもらった表の送料は？",
        "CSVでいただいた表ですが、送料を教えて",
        "エクセルで開けない",
        "CSVで開けませんでした",
        "CSVでなく文章で教えて",
        "CSVにせず教えて",
        "CSVにしなくていいので送料は？",
        "CSVに入っていない項目は？",
        "CSVに送料が無いのはなぜ？",
        "CSVにある送料はいくら？",
        "CSVを作成した人は？",
        "CSVは不要です。送料は？",
    ],
)
def test_whoever_speaks_of_a_file_that_is_there_does_not_ask_for_it_again(question):
    assert wish(question).files == ()


@pytest.mark.parametrize(
    "question",
    [
        "",
        "https://a.example/path?q=料金",
        "<https://a.example/>",
        "要約して",
        "このページをまとめてください",
        "この記事を3行で要約して",
        "内容を教えて",
        "どんなサイトですか？",
        "読んで",
        "Please summarize this article.",
        "tl;dr",
        "What is this page about?",
    ],
)
def test_a_question_about_nothing_in_particular_has_no_topic(question):
    assert wish(question).topic == ""


def test_the_topic_is_what_is_left_without_links_and_requests():
    assert wish("https://a.example/ の料金表をCSVにして").topic == "の料金表を"
    assert wish("What is the refund policy?").topic == "what is the refund policy?"
    assert rank(wish("https://a.example/ いくら？").topic, ["送り方", "価格は500円"], most=2) == [1]
    assert wish("すべての表をCSVで").everything
    assert wish("貼り付けた文章です。" * 20_000 + "これをCSVにして").files == ("csv",)
    assert wish("すべての表をCSVで").topic == ""
