"""Words of grammar, what kind of answer a question wants, and how such an answer looks in a text.

This module is data; `query_words.py` compiles it for text as `folded` returns it.
"""

from typing import NamedTuple

PARTICLES = "がでとにのはへもやを"

GRAMMAR = (
    "について|に関(?:して|する)",  # about
    "て?(?:ください|下さい)|お願い",  # please
    "(?:教え|おしえ)て?|知りたい",  # tell me, I want to know
    "でしょう|です|ます|ません|ました",  # polite endings
    "とは|という|ど(?:の|う|んな)|な[にん]|何",  # what
    "[こそあ](?:の|れ|こ)|など|こと|もの",  # this, that, and so on
    "する|し(?:たい|て)|あ[るり]|いる",  # do, be
    "方法|場合",  # way, case
)
"""Words of a question that are not searched for, as alternatives of a pattern."""


class AnswerKind(NamedTuple):
    asked: str
    """How people ask for it; the group `unit`, if there is one, must follow a figure in the answer."""
    told: str
    """What such an answer has in it."""
    weight: float


ANSWER_KINDS = (
    AnswerKind(
        r"いくら|値段|価格|料金|費用|金額|参加費|予算|安[いく]|最安"
        r"|how much|\b(?:costs?|pric\w+|fees?|rates?|cheap(?:er|est)?)\b",
        r"\d ?(?:円|万円|億円|ドル|ユーロ)|[¥$€£] ?\d",
        0.8,
    ),
    AnswerKind(
        r"何時|営業時間|開館時間|what time|\bhours\b|\b(?:open|close)s?\b",
        r"\d{1,2}:\d\d|(?<!\d)\d{1,2}時(?!間)|午[前後]|\d ?[ap]\.?m\b",
        0.7,
    ),
    AnswerKind(
        r"いつ|何[日月年](?!間)|日程|日時|期限|締め?切り?|給料日|発売日|\bwhen\b|\bdeadline|\bdates?\b|\bpayday",
        r"\d月|\d{4}年|\d{4}[-/.]\d{1,2}|月末|末日|毎月|曜日?|\d日(?!間)|\bof the month|\b\d{4}\b",
        0.6,
    ),
    AnswerKind(
        r"どのくらい|どれくらい|期間|何(?:日|時|分|か月|ヶ月|年)間|何(?:分|か月)|いつまで|how long",
        r"\d ?(?:日間?|時間|分|か月|ヶ月|カ月|年|週間)|\d ?(?:days?|hours?|weeks?|months?|years?)",
        0.6,
    ),
    AnswerKind(r"何[人名]|人数|従業員数|定員|how many (?:people|employees|staff)", r"\d ?[人名]", 0.8),
    AnswerKind(r"何歳|年齢|いくつから|\bhow old\b|\bage\b", r"\d ?(?:歳|才)|\byears? old\b|\baged? \d", 0.7),
    AnswerKind(
        r"重さ|重量|何(?:キロ|グラム|kg|g\b)|\bhow heavy\b|\bweigh",
        r"\d ?(?:kg|キロ(?!メートル|ワット)|グラム|トン|g\b|lbs?\b)",
        0.7,
    ),
    AnswerKind(
        r"大きさ|サイズ|寸法|長さ|高さ|幅|広さ|面積"
        r"|\bhow (?:big|large|tall|wide|far)\b|\b(?:dimensions?|size)\b",
        r"\d ?(?:畳|坪|平米|㎡|センチ|ミリ|メートル|キロメートル|(?:mm|cm|m|km|m2|inch(?:es)?|feet|sq)\b)",
        0.6,
    ),
    AnswerKind(
        r"何曜|曜日|\b(?:which|what) days?\b",
        r"[月火水木金土日]曜|平日|土日|毎日|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
        0.7,
    ),
    AnswerKind(
        r"どのくらいの頻度|頻度|何(?:日|週間|か月|年)(?:おき|ごと)|何日に|\bhow often\b",
        r"ごと|おき|毎[日週月年朝]|\d ?回|\bevery\b",
        0.6,
    ),
    AnswerKind(
        r"どの(?:バージョン|版)|何版|いつの版|\b(?:which|what) version\b", r"\d+\.\d+|\d ?以降|\d ?以上", 0.6
    ),
    AnswerKind(r"何語|言語|\blanguages?\b", r"(?:日本|英|中国|韓国|[ァ-ヶー]{2,})語", 0.7),
    AnswerKind(r"メール|e-?mail", r"[\w.+-]+@[\w-]+\.", 0.6),
    AnswerKind(
        r"[てで]も(?:いい|よい|大丈夫)|[きれえけせめ](?:ます|る)(?:か|の|でしょうか)?[?。]?$|だめ|ダメ"
        r"|\b(?:can|may|could) (?:i|we|you)\b|\ballowed\b|\bpossible\b",
        r"できま(?:す|せん)|でき(?:る|ない)|可能|不可|ご遠慮|お断り|いただけ|承[りれ]|かまいません|構いません|禁止|認め"
        r"|\b(?:may|can(?:not)?|(?:not )?(?:allowed|permitted))\b",
        0.3,
    ),
    AnswerKind(r"いくつ|how many", r"\d ?(?:つ|個|室|件|点|か所|店舗?|種類?|台|冊|社|本|枚|人|名)", 0.6),
    AnswerKind(r"何(?P<unit>[台冊件個本枚回社点歳泊席店割条語階畳斤円%])", "", 0.8),
    AnswerKind(
        r"電話|連絡先|問い?合わ?せ|\bphone|\bcall\b|\bcontact",
        r"\d{2,5}-\d{2,4}-\d{3,4}|\d{3}-\d{4}",
        0.7,
    ),
    AnswerKind(
        r"どこ|場所|住所|所在地|\bwhere\b|\baddress",
        r"[都道府県].{0,8}[市区町村]|丁目|番地|〒|徒歩|[市区町].{0,6}\d",
        0.5,
    ),
    AnswerKind(
        r"誰|だれ|どなた|責任者|担当者|(?<!会社)名前|\bwho\b",
        r"さん|氏[はが名]|代表|担当|社長|理事長|市長|記者|[一-鿿]{1,3}[ 　][一-鿿]{1,3}",
        0.4,
    ),
    AnswerKind(r"何(?:%|パーセント|割)|割合|率(?:は|を)|手数料", r"\d ?(?:%|割)", 0.6),
    AnswerKind(
        r"どうすれば|どうしたら|どうやって|どうする|方法|手順|how (?:do|can|to)|what should",
        r"ください|お手続き|してから|までに|\bplease\b|\bmust\b",
        0.3,
    ),
    AnswerKind(r"なぜ|どうして|理由|原因|\bwhy\b", r"ため|原因|理由|不足|により|ので|\bbecause\b", 0.4),
)

NEWEST = (
    r"最新|いちばん新しい|一番新しい|新しい[版順]|新しくなっ|直近|最近|今回の|今度の|このたび"
    r"|\b(?:latest|newest|most recent|what'?s new)\b"
)
"""Asks for the newest of several things that have a date or a version."""

VERSION = r"(?:バージョン|\bver(?:sion)?\.?|\bv|\brelease) ?(\d+(?:\.\d+)*)"
DATE = r"(\d{4}) ?[年/.-] ?(\d{1,2})(?: ?[月/.-] ?(\d{1,2}))?"
