"""What somebody who asks wants, read from the words alone."""

import pytest

from fetcher.agent.offline.intent import intent_of
from fetcher.web.search.ranking import rank


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("https://a.example/ の料金表をCSVにして", ("csv",)),
        ("この表をＣＳＶで", ("csv",)),
        ("CSVでください", ("csv",)),
        ("料金プラン csv", ("csv",)),
        ("CSV形式で出力して", ("csv",)),
        ("エクセルでほしい", ("xlsx",)),
        ("CSVとエクセルでほしい", ("csv", "xlsx")),
        ("2ページ目の表をExcelで", ("xlsx",)),
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
        ("https://a.example/priceの料金表をエクセルにしてください", ("xlsx",)),
        ("https://a.example/price料金表をCSVにして", ("csv",)),
        ("https://a.example/料金表.csv を要約して", ()),
        ("JSONも", ("json",)),
        ("JSONでも", ("json",)),
        ("Excelにも。", ("xlsx",)),
        ("CSVでも文字化けしますか", ()),
        ("JSONもCSVも読めますか", ()),
    ],
)
def test_a_file_is_asked_for_in_many_words(question, files):
    assert intent_of(question).files == files


@pytest.mark.parametrize(
    "question",
    [
        "CSVで出力できませんか",
        "CSVでお願いできないでしょうか",
        "エクセルで出せないかな",
        "CSVに無料プランもまとめて",
        "CSVに価格がわかるようにまとめて",
        "CSVも欲しい",
        "CSVですべての表を出力してください",
        "CSVでの提供は可能でしょうか",
        "CSVだとありがたいです",
        "CSVを送ってください",
        "CSVをいただけますか",
        "エクセルで開けるようにして",
        "エクセルで見たいのですが",
        "CSVにまとめられませんか",
        "CSVに書き出せるとありがたいです",
        "CSVに商品名は入れてください",
        "CSVで出せないの？",
        "エクセルにプラン別の料金をまとめてくれませんか",
        "CSVは出せませんか",
        "CSVダウンロードできますか",
        "CSVでないと困ります",
        "CSVで、すみませんが送ってください",
        "CSVにあれば出して",
        "CSVで出してもらうことはできませんか",
        "CSVに起こしてもらえませんか",
    ],
)
def test_a_polite_wish_for_a_file_is_one_however_it_is_put(question):
    """Japanese asks with a negative question, and says what should be in the file."""
    assert len(intent_of(question).files) == 1


@pytest.mark.parametrize(
    "question",
    [
        "さっきのCSVで足りない列は？",
        "CSVでもらった表の送料は？",
        "CSVで開けませんでした",
        "CSVにしなくていいので送料は？",
        "CSVにある送料はいくら？",
        "CSVでなく文章で",
        "CSVに載っていないのはなぜ",
        "CSVで文字化けしました",
        "CSVで開けないのはなぜですか",
        "CSVで一括登録できますか",
        "CSVには何が入っていますか",
        "CSVに書かれている料金は税込ですか",
        "CSVではなく本文に書いて",
        "CSVでの文字化けの直し方は？",
        "CSVをもらいました。ありがとうございます",
        "CSVがありますか",
        "CSVって何？",
        "CSVの文字コードは？",
        "CSVで確認したところ送料がありません",
        "CSVをもらえませんでした",
        "CSVにしないでください",
        "CSVに関する質問です",
        "CSVは要りません",
        "CSVにまとめました。送料は？",
        "CSVを送っていますか",
        "CSVとJSONの違いは？",
        "CSVが添付されていません",
    ],
)
def test_whoever_speaks_of_a_file_that_is_there_does_not_ask_for_it_again(question):
    assert intent_of(question).files == ()


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
    assert intent_of(question).topic == ""


def test_the_topic_is_what_is_left_without_links_and_requests():
    assert intent_of("https://a.example/ の料金表をCSVにして").topic == "の料金表を"
    assert intent_of("What is the refund policy?").topic == "what is the refund policy?"
    assert rank(intent_of("https://a.example/ いくら？").topic, ["送り方", "価格は500円"], most=2) == [1]
    assert intent_of("すべての表をCSVで").everything
    assert intent_of("貼り付けた文章です。" * 20_000 + "これをCSVにして").files == ("csv",)
    assert intent_of("すべての表をCSVで").topic == ""


@pytest.mark.parametrize(
    "question",
    ["こんにちは", "おはようございます！", "はじめまして。よろしくお願いします", "Hello!", "よろしく"],
)
def test_a_greeting_is_about_nothing(question):
    """So that the web is not searched for it."""
    assert intent_of(question).topic == ""


@pytest.mark.parametrize(
    ("question", "rewriting"),
    [
        ("英語にして", True),
        ("日本語で要約して", True),
        ("翻訳してください", True),
        ("翻訳していただけますか", True),
        ("もっと短く", True),
        ("translate it into English please", True),
        ("https://a.example/ とも比べて", True),
        ("英語の授業はいつ？", False),
        ("翻訳の料金は？", False),
        ("日本語で書かれていますか", False),
        ("英語でのお問い合わせ先は？", False),
        ("中国語で対応していますか", False),
        ("昨年に比べて増えた人口は", False),
        ("翻訳していない部分は？", False),
        ("3行で要約して", False),
    ],
)
def test_other_words_than_those_of_the_page_take_a_model(question, rewriting):
    assert intent_of(question).rewriting is rewriting


def test_a_file_that_is_not_made_is_no_topic():
    intent = intent_of("https://a.example/ の表をPDFにして")
    assert (intent.topic, intent.other_formats) == ("", ("PDF",))


@pytest.mark.parametrize(
    "question", ["translate it into English", "英語にして", "もっと短く", "これとも比べて"]
)
def test_what_takes_a_model_is_no_topic(question):
    assert intent_of(question).topic == ""
