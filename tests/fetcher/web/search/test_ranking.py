"""Passages that bear on a question are found, in Japanese and in English."""

import pytest

from fetcher.web.search.passages import lead, outline, passages, table_headings
from fetcher.web.search.ranking import rank

FAQ = [
    "# 送料\n全国一律550円です。5,000円以上のお買い上げで無料になります。",
    "# 返品\n商品到着後8日以内にご連絡ください。返品の送料はお客様のご負担です。",
    "# 支払い方法\nクレジットカード、銀行振込がご利用いただけます。",
    "# キャンセル\n発送前であれば、注文履歴から取り消しいただけます。",
    "# お申し込み\nWebサイトのフォームからお手続きください。",
    "# API\nThe rate limit is 100 requests per minute. Prices are in yen.",
    "# サーバー\n保守は毎月第2水曜日に行います。",
]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("送料はいくらですか？", 0),
        ("返品したい", 1),
        ("クレジットカードは使えますか", 2),
        ("ｸﾚｼﾞｯﾄｶｰﾄﾞ", 2),
        ("振り込みで払えますか", 2),
        ("注文の取消", 3),
        ("申込方法", 4),
        ("申込み", 4),
        ("RATE LIMITS", 5),
        ("price", 5),
        ("１００ requests", 5),
        ("5000円以上", 0),
        ("サーバ保守", 6),
        ("毎月の保守", 6),
    ],
)
def test_the_best_passage_comes_first(query, best):
    """Also across widths, okurigana, plurals, separators of thousands and the marks of long vowels."""
    assert rank(query, FAQ, most=3)[0] == best


@pytest.mark.parametrize(
    "query", ["", "？！", "ですか", "について教えてください", "what is the", "宇宙飛行士", "elephant", "か"]
)
def test_nothing_is_found_where_nothing_is_shared(query):
    assert rank(query, FAQ, most=3) == []


def test_words_are_whole_words():
    passages = ["concatenate the strings", "a cat sat", "10 items", "100 items", "1.10 items"]
    assert rank("cat", passages, most=5) == [1]
    assert rank("10", passages, most=5) == [2]


def test_a_heading_weighs_more_than_the_text():
    passages = ["保証についての一般的な説明です。", "# 保証\n次のとおりに定めます。", "その他の事項です。"]
    assert rank("保証", passages, most=3) == [1, 0]


def test_equal_passages_keep_their_order_and_only_so_many_are_given():
    assert rank("料金", ["料金です", "別の話", "料金です", "料金です"], most=2) == [0, 2]


def test_a_passage_that_hardly_bears_on_the_query_is_left_out():
    passages = ["スタンダードプランの月額料金は4,980円です。", "方法は問いません。", "月曜日は定休日です。"]
    assert rank("スタンダードプランの月額料金の支払い方法", passages, most=3) == [0]


def test_hiragana_alone_finds_something_too():
    assert rank("りんごのねだん", ["みかんはやすい", "りんごのねだんは百円"], most=2) == [1]


def test_no_passages_give_no_ranks():
    assert rank("料金", [], most=3) == []
    assert rank("料金", ["", " "], most=3) == []


def test_a_very_long_query_finds_its_passage_among_many():
    passage = (
        "当サービスの月額料金は、スタンダードプランで１，９８０円（税込）です。お申し込みはWebから。" * 14
    )
    passages = [f"# 見出し{number}\n{passage}" for number in range(2000)]
    assert rank("料金プランの月額と解約方法" + "、長い質問です" * 20_000, passages, most=1) == [0]


PAGE = """# 題名

はじめの段落です。[リンク](http://a.example/)と![図](http://a.example/x.png)があります。

## 節 **一**

`[code](x)` は残ります。

| 名前 | 値 |
|---|---|
| a | 1 |

```
# no heading
[a](b)
```

### 小節

[![絵](http://a.example/y.png)](http://a.example/z)

- 項目
"""


def test_an_excerpt_knows_its_headings_and_links_to_nothing():
    found = passages(PAGE, 160)
    assert [excerpt.headings for excerpt in found] == [
        ("題名",),
        ("題名", "節 一"),
        ("題名", "節 一", "小節"),
    ]
    assert found[0].text == "はじめの段落です。リンクとがあります。"
    assert "`[code](x)` は残ります。" in found[1].text
    assert "```\n# no heading\n[a](b)\n```" in found[1].text
    assert found[2].text == "- 項目"


def test_every_piece_of_a_long_table_has_its_header():
    rows = "\n".join(f"| 商品{number} | {number}円 |" for number in range(60))
    found = passages(f"## 価格\n\n| 商品 | 価格 |\n|---|---|\n{rows}\n", 80)
    assert len(found) > 3
    assert all(excerpt.text.startswith("| 商品 | 価格 |\n|---|---|\n| 商品") for excerpt in found)


def test_the_outline_and_the_headings_of_tables_are_plain_text():
    assert outline(PAGE) == ["題名", "節 一", "小節"]
    assert table_headings(PAGE) == ["節 一"]


def test_the_lead_is_prose():
    """A date line or a list is not quoted as the beginning."""
    markdown = "# 題\n\n2025年4月1日 編集部\n\n- a\n- b\n\n図書館が開館した。\n\n## 次\n\n別の話です。\n"
    assert lead(passages(markdown, 160)) == ["図書館が開館した。"]
    assert lead(passages("| a |\n|---|\n| b |\n", 160)) == ["| a |\n|---|\n| b |"]
    assert lead([]) == []


@pytest.mark.parametrize(
    ("query", "passages", "best"),
    [
        # The kind of answer stands in one sentence with the topic, or in another one.
        (
            "ヨガの会費はいくらですか",
            ["ヨガは木曜です。会費は別です。水筒は500円です。", "ヨガの会費は500円です。木曜に開きます。"],
            1,
        ),
        ("How heavy is the tent?", ["テントは緑色です。tent", "テントは2.1kgです。tent"], 1),
        ("何曜日に集まりますか", ["駅前に集まります。", "木曜に集まります。"], 1),
        ("この部屋の広さは", ["この部屋は北向きです。", "この部屋は12畳です。"], 1),
        ("一番安いのは？", ["毎月お届けします。", "おためしは月に980円です。"], 1),
        ("案内は何語ですか", ["案内は紙です。", "案内はタガログ語です。"], 1),
        (
            "今回の更新で何が変わりましたか",
            ["# 2025年1月5日\n更新で表が変わりました。", "# 2026年3月9日\n印刷に対応しました。"],
            1,
        ),
    ],
)
def test_a_passage_that_looks_like_the_answer_comes_first(query, passages, best):
    assert rank(query, passages, most=1) == [best]
