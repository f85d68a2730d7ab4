"""Japanese words on pages: the headings of what follows the content without belonging to it, and the like."""

import re

PUT_IN_CART = "カートに入れる".encode()

UNITS = (
    "円|万|億|年|月|日|時|分|秒|週|か月|ヶ月|カ月|名|人|席|台|個|枚|本"
    "|冊|点|階|歳|泊|回|件|倍|割|度|種|畳|坪|号|番|室|部屋|組|箱|袋|杯|皿|便|店|棟|口|位|％"
)
"""What Japanese counts, as alternatives of a pattern."""

REST = "残り?|あと"
"""What stands before a number of things that are left."""

CLICKS = "いいね[!！]?|シェア|ツイート|ポスト|ブックマーク|はてブ|フォロワー|コメント|閲覧数?|再生回?数?"
"""What social networks count, as alternatives of a pattern; behind the number can stand one of the units."""
UNIT_OF_CLICKS = "万千件回人"

STATES = (
    "在庫あり|在庫なし|在庫切れ|売り切れ|完売|品切れ|販売終了|送料無料|受付中|受付終了|募集中|募集終了|満席"
    "|解決済|未解決|非推奨|プレビュー版|ベータ版|中止|延期|運休|欠航|休業|休館"
)
"""How things stand, as alternatives of a pattern."""

_ORNAMENTS = re.compile(r"[\W\d_]+")

_RANKING = "ランキング"  # ranking
_RECOMMENDED = "おすすめ"  # recommended
_STARTS = (
    "この商品を",  # (people who bought) this product
    "よく一緒に",  # often together
)

_ON_THE_SUBJECT = frozenset(
    {
        "関連リンク",  # related links
        "関連情報",  # related information
        "関連ページ",  # related pages
        "関連コンテンツ",  # related content
        "新着情報",  # new on this site
    }
)

_TAILS = frozenset(
    {
        *_ON_THE_SUBJECT,
        "関連記事",  # related articles
        "関連する記事",  # related articles
        "関連ニュース",  # related news
        "関連商品",  # related products
        "関連キーワード",  # related keywords
        "関連ワード",  # related words
        "関連動画",  # related videos
        "関連タグ",  # related tags
        _RECOMMENDED,
        "おすすめ記事",  # recommended articles
        "おすすめの記事",  # recommended articles
        "おすすめ商品",  # recommended products
        "おすすめコンテンツ",  # recommended content
        "こちらもおすすめ",  # we recommend this too
        "あなたへのおすすめ",  # recommended for you
        "あわせて読みたい",  # read this too
        "合わせて読みたい",  # read this too
        "人気記事",  # popular articles
        "人気の記事",  # popular articles
        "よく読まれている記事",  # most read articles
        "注目記事",  # featured articles
        "注目の記事",  # featured articles
        "最新記事",  # latest articles
        "最新ニュース",  # latest news
        "最近の投稿",  # recent posts
        "新着記事",  # new articles
        "新着ニュース",  # new on this site
        "記事一覧",  # list of articles
        "次の記事",  # next article
        "前の記事",  # previous article
        "コメント",  # comments
        "コメント一覧",  # comments
        "コメントを書く",  # write a comment
        "コメントする",  # comment
        "みんなのコメント",  # everyone's comments
        "シェア",  # share
        "シェアする",  # share
        "この記事をシェア",  # share this article
        "この記事をシェアする",  # share this article
        "SNSでシェア",  # share
        "フォローする",  # follow
        "この記事を書いた人",  # the author
        "この記事のタグ",  # tags of this article
        "著者プロフィール",  # the author
        "タグ",  # tags
        "スポンサーリンク",  # sponsored links
        "スポンサードリンク",  # sponsored links
        "広告",  # advertisement
        "PR",  # advertisement
        "レビュー",  # reviews
        "カスタマーレビュー",  # customer reviews
        "商品レビュー",  # product reviews
        "口コミ",  # word of mouth
        "最近チェックした商品",  # recently viewed
        "メールマガジン登録",  # mail magazine
        "メルマガ登録",  # mail magazine
    }
)

_PLAIN_CONTROL = re.compile(
    r"""(?x)
    (?:もっと|さらに|続きを|詳しく|くわしく|詳細を?|すべて|全て|全文を?|一覧を?)?(?:見る|みる|読む|表示)(?:する)?
    | (?:メニュー|ナビ|検索|詳細|パネル)?を?(?:閉じる|とじる|開く|ひらく|開閉|送信|切り?替え|選択)(?:する)?
    | (?:検索|送信|確認|登録|予約|印刷|保存|コピー|シェア|共有|削除|編集|変更|投稿|返信|購入|翻訳)(?:する)?
    | 申し?込み?(?:する)? | メニュー | サイト内検索 | ログイン | ログアウト | 絞り?込み?.{0,5}
    | 並[べび]替え | 次へ | 前へ | 次 | 前 | 戻る | いいね.{0,5} | カートに入れる | キャンセル
    | はい | いいえ | もっと | 続き | 再生 | 停止 | クリア | 目次
    """
)


def is_plain_control(text: str) -> bool:
    """Whether a control's text says what a click does, and nothing about what it shows."""
    return _PLAIN_CONTROL.fullmatch(text) is not None


def heads_a_tail(text: str) -> bool:
    """Whether a text is such a heading, numbers and ornaments aside: rankings, shares, related articles."""
    words = _ORNAMENTS.sub("", text)
    return words in _TAILS or words.endswith(_RANKING) or words.startswith(_STARTS)


def heads_links_on_the_subject(text: str) -> bool:
    """Whether such a heading stands over forms and further pages, on pages other than stories or shops."""
    return _ORNAMENTS.sub("", text) in _ON_THE_SUBJECT


def may_head_content(text: str) -> bool:
    """Whether such a heading stands as often over what the page is about: dishes, places, products."""
    words = _ORNAMENTS.sub("", text)
    return words == _RECOMMENDED or words.endswith(_RANKING)
