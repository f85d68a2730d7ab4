"""Japanese words on pages: the headings of what follows the content without belonging to it, and the like."""

import re

PUT_IN_CART = "カートに入れる".encode()

UNITS = (
    "円|万|億|年|月|日|時|分|秒|週|か月|ヶ月|カ月|名|人|席|台|個|枚|本"
    "|冊|点|階|歳|泊|回|件|倍|割|度|種|畳|坪|号|番|室|部屋|組|箱|袋|杯|皿|便|店|棟|口|位|％"
)
"""What Japanese counts, as alternatives of a pattern."""

REST_OF_DATE = r"年\s?\d\d?月\s?\d\d?日"
"""What stands behind the year in a date, as a pattern."""

PAGES = "次|前|の|へ|ページ|頁|最初|最後"
"""The words that lead from one page of a text to another, as alternatives of a pattern."""

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

CONDITIONS = (
    "雨天(?:中止|決行|順延)|無休|要予約|予約(?:制|不要|優先)|要(?:申し?込み?|事前登録)|(?:申し?込み?|登録)不要|先着順"
    "|(?:以下|以上|未満|入場|入館|参加費?|見学|送料|駐車場?|学生|会員)[はも]?無料|無料(?:駐車場|送迎|貸出)|定休"
    "|[月火水木金土日祝](?:曜日?)?[はもが]?(?:休み|休館|休業|休診|閉館)|現金のみ|カード不可|[入立]場不可|ペット(?:不)?可"
)
"""On which terms a place or an event is open, as alternatives of a pattern."""

TIME_OF_STORY = r"\d\d?時(?:\d\d?分)?(?:\d\d?秒)?|(?:読了|約|読む)\D{0,5}\d\d?\s?分"
"""The time of day, and how long reading takes, as alternatives of a pattern."""

_EVENT = re.compile(
    "(?<!公開)(?<!更新)(?<!投稿)(?<!掲載)(?<!配信)(?<!発表)(?<!作成)(?<!登録)日\\s?[:：]?\\s?(?:19|20)\\d\\d"
    "|日時|日程|期間|期日|開催|会期|会場|場所|締め?切|期限|発売|施行|開始|終了|受付|募集|対象|予定|まで|から|[〜～]"
)
"""What stands beside the day of an event, and not beside the day of a story."""


def tells_of_event(text: str) -> bool:
    """Whether a line with a day tells when something happens, not when the page was written."""
    return _EVENT.search(text) is not None


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
        "最新の記事",  # latest articles
        "最近の記事",  # recent articles
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
        "このページは役に立ちましたか",  # was this page helpful
        "このページの情報は役に立ちましたか",  # was this page helpful
        "この記事は役に立ちましたか",  # was this article helpful
        "より良いウェブサイトにするために皆さまのご意見をお聞かせください",  # your opinion on this site
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


_LINE = re.compile(
    r"""(?x)
    (?:印刷|メール|保存|共有|クリップ|ダウンロード|ブックマーク|お気に入り|シェア|ツイート|ポスト|リンクをコピー|コメント
        |フォロー|スクラップ|文字サイズ|拡大|縮小|翻訳|はてブ|いいね)(?:する|に追加|に登録)?(?:[\s・｜|/].{0,10}+)?
    | (?:この|本)(?:記事|ページ|投稿)[をのはがに].{0,12}?
        (?:シェア|共有|保存|印刷|ツイート|評価|役に立|いいね|フォロー).{0,20}+
    | .{0,20}?(?:続きを読む|全文を読む|もっと見る|一覧(?:へ|を見る|をみる)|一覧はこちら|記事一覧)
        [\s＞>》…]*+ | ページトップへ
    | .{0,15}?トップ(?:ページ)?(?:へ|に)戻る | [\[［【（(]?(?:有料)?会員限定[\]］】）)]?.{0,60}+
    | .{0,30}?(?:会員|電子版)[にへ](?:登録|ログイン).{0,40}+
    | .{0,20}?(?:会員登録|無料登録|新規登録|ログイン)(?:はこちら|する|が必要.{0,15}+|してください.{0,10}+)?
    | 広告 | スポンサー(?:ド)?リンク | [\[［【]?(?:PR|ＰＲ|広告)[\]］】]? | 目次 | この記事を書いた人
    | (?:タグ|カテゴリー?|キーワード|関連キーワード|ハッシュタグ)\s?[:：].{0,100}+
    | (?:写真|画像|出典|撮影|提供|イラスト|図版)\s?[:：＝=／/].{0,60}+
    | (?:関連|参考)(?:記事|リンク)\s?[:：].{0,80}+ | (?:あわせて|合わせて|併せて)読みたい.{0,80}+
    | [（(]?\d{1,3}\s?[/／]\s?\d{1,3}\s?(?:ページ|頁)[)）]?
    """
)
"""Lines in a story that tell nothing of it: controls, labels, notes for members."""


PUBLISHED = frozenset(
    "公開 公開日 更新 更新日 最終更新 最終更新日 掲載 掲載日 投稿 投稿日 作成日".split()  # noqa: SIM905 - a table of words
)
"""What says that a day is that of a story: published, updated, posted."""

_CREDIT_AT_END = re.compile(
    r"""(?x)
    (?:＝|(?<=[^=]{10})=)(?:ＡＰ|AP|ＡＦＰ|AFP|ロイター|共同|時事|ゲッティ|UPI|ＵＰＩ|新華社|聯合)(?>通信|社)?+[）)]?$
    | [＝=][^＝=。]{1,30}+(?<=撮影|提供|影）|影\)|供）|供\))(?<!無料提供)(?<!で提供)$
    | [（(](?:写真|撮影|画像|提供)\s?[:：＝=／/][^（(）)]{1,30}+[）)]$
    | [ぁ-ヿ一-鿿。）][\s\u3000／/](?:写真|撮影|画像提供|写真提供)\s?[:：＝=／/][^\s。]{1,20}+$
    """
)
"""How a caption ends: who has made the picture."""
_WRITERS = re.compile(r"(?:取材|構成|企画|編集|文|聞き手|執筆|インタビュー)[^:：＝=／/。]{0,12}+[:：＝=／/]")
"""How a line begins that also tells who has written the story."""
MOMENT = re.compile(
    r"(?:\d{1,4}年)?\d{1,2}月\d{1,2}日(?!まで|から)|(?<![月\d])\d{1,2}日(?!まで|から|間)|\d{1,4}年(?!間|生)"
)
"""A day that says when a picture was made."""


def is_line_of_furniture(text: str) -> bool:
    """Whether a line of a story is a control, an advertisement, a credit or a note about members."""
    return _LINE.fullmatch(text) is not None


def ends_with_credit(text: str) -> bool:
    """Whether a line ends with who has made a picture, as captions do."""
    return _CREDIT_AT_END.search(text) is not None and not _WRITERS.match(text)


_INVITATION = re.compile(
    r"""(?x)
    .{0,30}?(?:フォロー|いいね[!！]?|チャンネル登録|友だち追加|友達追加|メルマガ登録|メールマガジンに?登録|購読登録|シェア)
        (?:を|して|も|で)?(?:お願い|いただ|頂|ください|下さい|しよう|応援).{0,60}+
    | (?:本|当|この)(?:記事|サイト|ページ|ブログ)(?:に|は|で|で?は|には).{0,20}?
        (?:アフィリエイト|プロモーション|広告|PR|ＰＲ)(?:リンク|プログラム)?.{0,20}?(?:含|利用|使用|参加|掲載).{0,30}+
    | .{0,30}?無断(?:転載|複製|引用).{0,20}?(?:禁|お断|ご遠慮).{0,20}+
    | .{0,20}?(?:会員|読者|購読者)(?:の方)?(?:限定|専用|のみ).{0,15}?(?:記事|コンテンツ|続き|全文).{0,60}+
    """
)
"""How paragraphs of a story read that invite to follow it or to join, or that are about rights and money."""


def invites(text: str) -> bool:
    """Whether a paragraph of a story invites to follow or to join, or is about rights or advertisements."""
    return _INVITATION.match(text) is not None


_LINE_OF_POST = re.compile(
    r"""(?x)
    (?:返信|引用|通報|編集|削除|共感した|参考になった|なるほど|ありがとう|いいね[!！]?|シェア|コピー|違反報告|ミュート)
        (?:する)?[\s(（]{0,2}\d{0,6}+[)）]?
    | (?:登録日|投稿数|参加日|メッセージ数?|リアクションスコア|居住地|会員登録日|記事)\s?[:：].{0,30}+
    | (?:最終)?編集(?:日時)?\s?[:：].{0,40}+ | Re\s?[:：].{1,80}+
    | .{0,15}?(?:返信|投稿|コメント)(?:する)?には.{0,10}?(?:ログイン|会員登録|登録).{0,20}+
    | この(?:トピック|スレッド|質問)は(?:自動的に)?(?:締め?切|クローズ|ロック|終了).{0,20}+
    """
)
"""Lines around the posts of a thread: controls, and what is told about every author."""


def is_line_of_post(text: str) -> bool:
    """Whether a line of a thread is a control, or tells how long and how much its author has written."""
    return _LINE_OF_POST.fullmatch(text) is not None


def is_plain_control(text: str) -> bool:
    """Whether a control's text says what a click does, and nothing about what it shows."""
    return _PLAIN_CONTROL.fullmatch(text) is not None


_FOR_MEMBERS = re.compile(
    "(?:この|本)(?:記事|コンテンツ|ページ|投稿)は.{0,10}?(?:会員|購読者|有料)(?:限定|専用|のみ|記事)"
)
"""How a note begins that only members can read on."""


def heads_a_tail(text: str) -> bool:
    """Whether a text is such a heading, numbers and ornaments aside: rankings, shares, related articles.

    Or the first line of a box that is shown instead of the rest of a story.
    """
    words = _ORNAMENTS.sub("", text)
    if words in _TAILS or words.endswith(_RANKING) or words.startswith(_STARTS):
        return True
    return _FOR_MEMBERS.match(words) is not None


def heads_links_on_the_subject(text: str) -> bool:
    """Whether such a heading stands over forms and further pages, on pages other than stories or shops."""
    return _ORNAMENTS.sub("", text) in _ON_THE_SUBJECT


def may_head_content(text: str) -> bool:
    """Whether such a heading stands as often over what the page is about: dishes, places, products, dates."""
    words = _ORNAMENTS.sub("", text)
    return words in _ON_THE_SUBJECT or words == _RECOMMENDED or words.endswith(_RANKING)


_ASKED = "お?問い?合わ?せ"
_CONTACT = re.compile(
    rf"""(?x)
    \W{{0,3}}(?:(?:この|本|当)(?P<page>ページ|記事|件|事業|情報|お知らせ|発表|リリース)\w{{1,12}}?)?
    (?:ご意見・?ご?)?(?:{_ASKED}(?:先|窓口)?|担当(?:課|部署|窓口)?(?:・?(?:連絡先|{_ASKED}先?))?|連絡先)(?:は)?\W{{0,3}}
    """
)
_LONGEST_LABEL, _LONGEST_CONTACT = 40, 200
"""Characters of the label of whom to ask, and of a line with the label and what it labels."""


def may_head_contact(text: str) -> bool:
    """Whether a text can be the end of such a label, or begin with one: a quick look."""
    return len(text) <= _LONGEST_CONTACT and ("問" in text or "担当" in text or "連絡先" in text)


def heads_contact(text: str) -> bool:
    """Whether a text is the label of whom to ask, or such a label with a colon and what it labels."""
    return _label_of_contact(text) is not None


def names_page(text: str) -> bool:
    """Whether such a label says that it is about the page, not about the site."""
    found = _label_of_contact(text)
    return found is not None and found["page"] is not None


def _label_of_contact(text: str) -> re.Match[str] | None:
    label = text[:_LONGEST_LABEL].replace("：", ":").partition(":")
    if len(text) > _LONGEST_LABEL and not label[1]:
        return None
    return _CONTACT.fullmatch("".join(label[0].split()))
