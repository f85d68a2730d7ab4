"""Words with which people ask for a file, a summary or a topic.

This module is data; `intent.py` compiles it for text as `query_words.folded` returns it. Each string holds
alternatives of a regular expression, and the comment behind it is their meaning. To recognise another way of
asking, add a word to the table that fits, and a sentence to the tests.
"""

from typing import NamedTuple


def _any_of(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


FILE_NAMES = {"csv": "csv", "json": "json", "xlsx": "excel|xlsx|エクセル|スプレッドシート"}
"""How people call each kind of file."""
FILE = " ?(?:の?(?:ファイル|形式|データ|版))? ?"
"""What may stand between the name and the particle: file, format, data, edition."""
ON_PAGE = r"(?<![0-9])([1-9][0-9]{0,3}) ?(?:ページ|頁|枚)目?(?:の|にある)"
"""Which page of a document is meant."""
NTH_TABLE = {
    1: "[1一](?:番目|つ目|個目)|最初|first|1st",
    2: "[2二](?:番目|つ目|個目)|second|2nd",
    3: "[3三](?:番目|つ目|個目)|third|3rd",
    4: "[4四](?:番目|つ目|個目)|fourth|4th",
    5: "[5五](?:番目|つ目|個目)|fifth|5th",
}
"""Which table of a page is meant."""
BEHIND_NTH = "(?:の| )(?:表|テーブル|tables?)"
BESIDE_A_TABLE = (
    "^(?:and |also |the )+",
    (
        "(?:の表|の?テーブル| table)?(?:[もをが]| too| as well)?"
        "(?:[欲ほ]しいです|くださ[いる]|下さい|お願いします| please)?[。!?]{0,3}$"
    ),
)
"""What stands around the name of a table in a reply that only asks for it."""
ALL = ("すべて", "全て", "全部", r"\ball\b", r"\bevery\b")

# How the verb that follows the name may go on.
_IN_CLAUSE = "[^。!?、,]{0,20}?"
_WITHOUT_OBJECT = r"[^\Wを]{0,10}?"
_NOT_A_STATE = "(?!い(?!ただ)|る|お[りる]|あ)"  # "do it", but not "it is done"
_NOT = _any_of("ない", "ません")

_CAN_YOU_NOT = (
    # Can you not …?
    _WITHOUT_OBJECT
    + _any_of("でき", "[えけげせねべめれ]", "さい")
    + _NOT
    + r"(?:の|ん|もの)?(?:です|でしょう|だろう)?(?:か|\?)",
    # Will you not give me …?
    _WITHOUT_OBJECT + _any_of("くれ", "らえ", "貰え", "だけ", "頂け") + _NOT + "(?!の[はに]|でした)",
)
_ITS_MAKING = (  # (I ask for) its output, its delivery
    "のご?"
    + _any_of(
        "出力|提供|送付|共有|納品|保存|作成|用意|提出|回答|まとめ",
        "書き?出し|ダウンロード|エクスポート",
    )
    + "[をはもが]?"
    + _any_of("お願", "希望", "可能", "して", "[ほ欲]し", "でき(?:ま[^せ]|る|れば|ませんか|ない[かで])")
)
_WAS_DONE = (  # what was done with it
    r"\w{0,6}?(?:ました|"
    + _any_of("もらっ", "貰っ", "頂い", "いただい", "確認し", "見", "開い")
    + "た(?![いく]))"
)
_QUESTION_WORDS = ("何", "ど[のこれんち]", "どう(?![ぞか])")

ASKING_FOR_A_FILE = (
    # Put it in, write it out, and so on.
    _IN_CLAUSE
    + _any_of(
        "(?:[出渡落]|出力|保存|作成|変換|抽出)し", "まとめ", "入れ", "含め", "載せ", "作っ", "送っ", "書い"
    )
    + "て"
    + _NOT_A_STATE,
    # So that; want; need.
    _IN_CLAUSE + _any_of("よう(?:に(?!な)|お願)", "[ほ欲]しい", "必要です", "[しりきせれ]たい"),
    *_CAN_YOU_NOT,
    r"[^\Wを]{0,4}?お願",  # please
)
"""What makes a request of a name with a particle, although other words describe the file."""


class Particle(NamedTuple):
    """What the words behind a file's name and a particle mean, in the order in which they are looked for."""

    never: tuple[str, ...]
    """Words that never ask for a file."""
    describing: tuple[str, ...]
    """Words that speak of a file that is there already, unless ASKING_FOR_A_FILE follows too."""
    verb: str = ""
    """The verb that belongs to the request."""


PARTICLES = {
    "で": Particle(  # "in CSV"
        never=(
            "す(?!ぐ|べて)",  # it is
            "は?な(?:く|い(?!と困))",  # instead of it
            _WAS_DONE,
        ),
        describing=(
            "は",  # compared with it
            f"(?!{_ITS_MAKING})の",  # of it
            # With it too, but not "please", and not "JSON too" alone.
            "も(?!ら|くだ|下さ|お願|[ほ欲]し|いい|いただ|頂|貰|[。!?]*$)",
            *_QUESTION_WORDS,
            r"\w{0,10}?(?:ない(?!よう|と困)|ません|なかっ)",  # cannot, does not
            r"\w{0,8}?(?:化け(?!し?な)|エラー|崩れ|壊れ|おかし)",  # it went wrong
            r"\w{0,8}?(?:方法|手順|やり方)",  # how to
            r"\w{0,4}?(?:インポート|取り?込|アップロード|読み?込|登録)",  # a file that is read in
        ),
    ),
    "に": Particle(  # "into CSV"
        never=(
            "つ[いき]|関[しすわ]",  # about it
            "せ[ずぬ]|しな[いくか]",  # without making it
            _WAS_DONE,
        ),
        describing=(
            "は",  # in it
            "も(?!し[てた]|変換|出力|お願|まとめ|[。!?]*$)",  # into it too, but not "please"
            "対[応し]",  # cope with it
            *_QUESTION_WORDS,
            r"\w{0,6}?(?:あ(?:[るっ]|り(?!が))|含[まむん]|載[っる]|入っ|書かれ|書いてあ)",  # is in it
            r"な[いかくっ]|\w{0,10}?(?:無[いかくし]|ない(?!よう|と困)|ません|なかっ)",  # is not in it
            r"[^\Wをしすでま変]{1,8}(?:が(?![たと])|は)",  # a subject, but not in "thankful"
        ),
        verb="(?:して|まとめて)?",
    ),
}
"""The particles that name the form of a file. Where no row of theirs fits, a file is made: one too many
does no harm."""

_AGAIN = "(?:もう一[度回]|再度|また|改めて|すぐに?|先に|一緒に|全部)?"  # again, at once, together
_PLEASE = _any_of(
    "(?:くださ|下さ)(?!っ|りま|いまし)",  # please give me, but not "you gave me"
    "お願|[欲ほ]し|希望|よろしく|頂戴|ちょうだい|くれ(?!た)",  # please, want
    # May I have.
    "(?:(?:もら|貰)(?:え|いた)|(?:頂|いただ)(?:け|きた))(?!な[いか](?!で)|ません(?!か|でしょう))",
    # Send, show.
    f"(?:送っ|見せ|付け|つけ|(?:[出渡]|出力|添付|共有|用意|保存)し)(?:て{_NOT_A_STATE}|たい)",
)
BEHIND_A_NAME = (
    "として|化|出力|変換",  # as, output, convert
    "[をも]?作(?!成(?:した|しまし|され)|った|りまし|られ)",  # make, not made
    f"[をもがは]?{_AGAIN}{_PLEASE}",
    f"は(?={'|'.join(_CAN_YOU_NOT)})",
    _ITS_MAKING,
    "(?:だと|なら|(?:の(?:方|ほう))?が)(?:助か|あり[が難]|嬉し|うれし|いい|良い)",  # would be fine
    "エクスポート|ダウンロード",  # export, download
    "も?[。!?]*+ ?$",  # the name stands last: "as JSON", "JSON too"
    r"(?=(?:と|、|,|/| ?and\b) ?(?:csv|json|excel|xlsx|エクセル)(?!の違))",  # and, but not how they differ
)
"""What makes a request of a file's name without one of the PARTICLES."""

_TABLE = "(?<![発代公])表(?:だけ)?"  # table, but not in "announce", "represent"
A_FILE_OF_ANY_KIND = (
    "エクスポート(?!方法|機能|[のがはで先])(?:して)?",  # export, but not how to
    "ファイル[にで](?:して|まとめ|出力)",  # as a file
    "ファイルで(?:くださ|下さ|[欲ほ]し)",  # a file, please
    "書き出し(?:て|たい)",  # write out
    r"(?:^\W*|を)ダウンロード(?:して(?:くださ|下さ)|\W*$)",  # download, please
    f"{_TABLE}を(?:出力|抽出|抜き出|取り出)",  # extract the table
    f"{_TABLE}を(?:保存|くださ|下さ|お願)",  # the table, please
    f"{_TABLE}に(?:して|まとめて)",  # as a table
    r"^\W*(?:please |can you |could you )?(?:export|download|save)\b",
    r"\b(?<!how to )(?<!do i )(?<!can i )(?:export|download) (?:the|this|that|it|all|these|every)\b",
)

_GREETING = _any_of(
    "こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?",  # good day, evening, morning
    "[は初]じめまして|よろしく(?:お願い(?:します|いたします)?)?",  # pleased to meet you
    "hello|hi|hey|good (?:morning|afternoon|evening)",
)
NO_TOPIC = (
    rf"^\W*{_GREETING}\W*(?:{_GREETING}\W*)?$",  # one or two greetings, and nothing else
    "要約|まとめ(?:て|る)?",  # summary
    "要点|ポイント",  # main points
    r"(?<!\w)概要|あらすじ|抜粋",  # overview, gist, excerpt
    "ページ|記事|サイト|リンク|添付(?:ファイル)?",  # page, article, site, link, attached file
    "url|内容|ニュース|資料",  # content, news, document
    "読(?:んで|み取って)|見(?:て|せて)",  # read, show
    "解説|説明|紹介|調べて|取得",  # explain, look up, get
    "確認|抽出|整理",  # check, extract, put in order
    "書(?:いて|かれて)",  # written
    "ざっくり|簡[単潔]に?|短く",  # roughly, briefly
    "詳しく",  # in detail
    "(?:わか|分か)りやすく|箇条書き",  # plainly, as bullets
    r"\d+(?:行|文字)(?:程度|くらい|以内)?で?",  # in so many lines
    "日本語|英語|翻訳",  # Japanese, English, translate
    "もら[えい]|[ほ欲]しい|くれ|頂|いただ",  # please
    "どういう|だけ",  # what kind of, only
    "(?<![一-鿿])(?:表|一覧)表?(?![一-鿿])",  # table, list
    "テーブル|データ",  # table, data
    r"\b(?:summari[sz]e|summary|tl;?dr|overview|gist|(?:main|key|bullet) points?)\b",
    r"\b(?:(?:web)?(?:page|site)s?|articles?|links?|urls?|contents?|tables?|(?:attached )?files?)\b",
    r"\b(?:explain|describe|read|show|make|brief(?:ly)?|short|in (?:japanese|english))\b",
    r"\b(?:let|know|want|need|us|so|if|just)\b",
)
"""Words that only ask, and say nothing about the topic."""

_LANGUAGES = "(?:日本|英|中国|韓国|フランス|ドイツ|スペイン)語"
REWRITING = (
    "翻訳し(?!てい[なまる])|英訳|和訳|(?<!翻)訳して(?!い[なまる])",  # translate
    f"{_LANGUAGES}(?:に(?:して|直|変|訳)|で(?!の|書|か[かい]|す|対応|受|話))",  # into, in a language
    "(?:もっと|もう少し)短く|短くして|言い換え|書き直し",  # shorter, in other words
    r"(?:とも)?(?<!に)(?:比べ|くらべ|比較し)て|\bcompar(?:e|ison)\b",  # compare, not with last year
    r"\btranslat(?:e|ion)\b|\b(?:in|into) (?:japanese|english|chinese|korean)\b|\bshorter\b",
)
"""What takes a model: the words of a page in another form, or beside another page's."""

TOPIC_OF_QUESTION_WORD = {
    "いくら|how much": "料金 価格 円",  # price
    r"いつ|何[時日]|\bwhen\b": "日時 日程 時間",  # time
    r"どこ|\bwhere\b": "場所 住所 所在地",  # place
    r"だれ|誰|\bwho\b": "担当 代表 氏名",  # person
}
"""What a question is about that consists of a question word alone."""

OTHER_FORMATS = {
    "PDF": r"pdf",
    "Word": r"word|ワード|docx",
    "PowerPoint": r"powerpoint|パワポ|パワーポイント|pptx",
    "XML": r"xml",
    "YAML": r"yaml",
}
"""Files that are not made, and how people call them."""

ONLY = r"だけ|のみ|列|カラム|\bonly\b|\bcolumns?\b"
FIRST_ROWS = (
    r"(?:上位|トップ|最初の|先頭の?|ベスト)(\d+)|(?<!\d)(\d++)(?:件|行|店舗?|位|つ)(?:だけ|のみ|まで)"
    r"|(?:top|first)(\d+)"
)
BOUND = (
    r"(?<!\d)(?P<figure>\d++(?>\.\d++)?+[億万千]?)(?P<unit>[^\W\d]{1,3}?)?"
    r"(?:(?P<most>以下|まで|未満|以内)|以上|を超|超の|より多)"
)
ORDER = (
    r"(?P<down>多い順|高い順|大きい順|長い順|新しい順|重い順|降順|descending|highest|largest|most)"
    r"|少ない順|安い順|低い順|小さい順|短い順|古い順|軽い順|昇順|ascending|lowest|cheapest"
)
OTHER_THAN = ("以外", "を除", "ではな", "でな")
PLACE_END = r"[都府県市区町村店]$"
PART_OF_A_TABLE = (
    rf"{ONLY}|{ORDER.replace('?P<down>', '?:')}"
    "|以外|を除|上位|以上|以下|未満|絞|並べ替|ソート|フィルタ"
)

_MACHINE = "(?:AI|ＡＩ|人工知能|アシスタント|ボット|エージェント|言語モデル|プロンプト|Claude|ChatGPT|LLM)"
_POLITE = "(?:ください|下さい|しなさい|なさい。|せよ|しろ。|すること|してはいけ|しないで|お願い)"
ORDERS = (
    # Rules that are to be given up: "ignore all previous instructions".
    r"(?:指示|命令|ルール|規則|制約|設定|プロンプト)[^。\n]{0,20}(?:無視|忘れ|破棄|上書き|取り消|従わ|従っ|優先)",
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
        r"\b(?:instruction|prompt|rule|guideline|polic|direction)"
    ),
    # Words to a machine that reads: "AI assistants must …", "you are now …".
    rf"{_MACHINE}[^。\n]{{0,60}}{_POLITE}",
    (
        r"\b(?:AI|LLM|assistants?|chatbots?|language models?|agents?|claude|chatgpt)\b[^.\n]{0,40}"
        r"\b(?:must|should|shall|please|do not|never|always)\b"
    ),
    r"\byou are (?:now|no longer|acting as)\b|\byou are an? (?:AI|assistant|chatbot|language model)\b",
    r"システム\s?(?:プロンプト|メッセージ|指示|より)|\bsystem (?:prompt|message|notice)\b",
    # What is to be told to the user, or kept from them, and what is to be sent away.
    (
        r"(?:利用者|ユーザー|質問者|読者|相手)(?:に|へ)[^。\n]{0,40}"
        rf"(?:伝え|答え|知らせ|言わ|言っ|教え|隠)[^。\n]{{0,10}}{_POLITE}"
    ),
    r"\b(?:tell|reply to|inform|convince) (?:the|your) users?\b",
    (
        r"(?:会話|履歴|秘密|パスワード|暗証番号|トークン|鍵|キー|個人情報)[^。\n]{0,40}"
        r"(?:送信|送って|送る|送れ|貼り|入力|開示|含め|教え)"
    ),
    (
        r"\b(?:send|post|reveal|include|forward|enter)\b[^.\n]{0,40}"
        r"\b(?:conversation|history|secret|password|token|api key|credential)"
    ),
)
"""A passage that tells its reader, often a machine, what to do; as alternatives of a pattern."""
