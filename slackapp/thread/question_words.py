"""Words by which people thank, ask, point, stop an answer and call for help, and cheap rules made of them."""

import re
import unicodedata

from slackapp.thread.slack_text import unwrapped

THANKS = (
    "ありがと(?:う|ー)*(?:ございま(?:す|した))?",
    "有(?:り)?難う(?:ございま(?:す|した))?",
    "(?:どうも)?サンキュー|サンクス|あざ(?:っ)?す|あざます",
    "thank(?:s| ?you)(?: (?:so|very) much| a lot)?|thx",
    "感謝(?:です|します|いたします|致します)?",
    "助か(?:る|ります|りました|った)",
    "了解(?:です|しました|いたしました|致しました)?|りょ(?:うかい)?(?:です)?",
    "承知(?:です|しました|いたしました|致しました)?|かしこまりました",
    "(?:わか|分か|判)りました|わかった|分かった|理解(?:です|しました)",
    "確認(?:です|しました|できました|いたしました|致しました)",
    "なるほど(?:です)?|勉強になりま(?:す|した)|参考になりま(?:す|した)",
    "お疲れ(?:さま|様)(?:です|でした)?",
    "(?:すご|凄)い(?:です)?|素晴らしい(?:です)?|完璧(?:です)?|いいね|さすが(?:です)?|最高(?:です)?",
    "(?:とても|大変|すごく)?(?:便利|便利です)",
)
"""Thanks and acknowledgements, as alternatives of a pattern. A plain yes or OK may answer a question."""
BESIDE_THANKS = (
    "どうも|とても|本当に|ほんとに|ほんと|大変|早速の|早速|いつも|色々と|色々|いろいろと|いろいろ|すごく|めっちゃ",
    "(?:ご|お)?(?:回答|返信|返事|対応|確認|教示|調査|要約)(?:を|いただき|頂き)?",
    "(?:教え|調べ|まとめ|答え|読ん|作っ|出し)[てで](?:くれて|いただき|頂き|くださり|下さり)",
    "です|でした|ございます|さん|ね+|よ+|わ|笑|w+|草|m|_|、|。",
)
"""What stands beside thanks and adds nothing, as alternatives of a pattern."""
STOPPING = (
    "(?:回答を|もう)?(?:止め|やめ|とめ)て",
    "(?:回答を|読み取りを)?(?:ストップ|キャンセル|中止|停止|中断)(?:して|で|する|します)?",
    "stop|cancel|abort",
)
"""Requests to stop, as alternatives of a pattern; a message has nothing else in it."""
HELP = (
    "help|ヘルプ|how (?:do i|to|can i) use (?:this|it|you)|what can you do",
    "(?:(?:この)?(?:アプリ|ボット)の)?(?:使い方|使いかた|つかい方|できること)(?:は|を?(?:教え|おしえ)て|が知りたい)?",
    "(?:あなたは)?何(?:が|を)(?:でき(?:る|ます)|してくれ(?:る|ます))(?:か|の|のですか|んですか)?",
)
"""Calls for help, as alternatives of a pattern; a message has nothing else in it."""
POLITELY = "(?:ください|下さい|ほしいです?|お願いします|please)?"
END = r"(?=$|[\s。、!」』)])"
TASKS = (
    "教え|おしえ|調べ|しらべ|まとめ|要約し|比べ|くらべ|比較し|訳し|翻訳し|読ん|説明し|見せ|探し|出し|作っ|抜き出し|書い|"
    "並べ|に(?:変換)?し"
)
PLEASE = "ください|下さい|くれ(?:ますか|る)?|ほしい|欲しい|(?:もらえ|いただけ|頂け)(?:ます)?か?"
ASKING = (
    r"\?",
    rf"(?:です|ます|ません|でしょう|だろう|ました|でした|なの|のこと)か{END}",
    rf"(?:いくら|いつ|どこ|だれ|誰|何(?:円|時|日|人|個|件)?|なぜ|何故|どれ(?:くらい|ぐらい)?|どう){END}",
    rf"(?:{TASKS})[てで](?:{PLEASE})?{END}",
    "知りたい|分からない|わからない",
)
"""What a question or a request ends with, as alternatives of a pattern."""
POINTED_AT = "通知|アラート|投稿|メッセージ|フィード|ボット|リンク|URL"
POINTING = (
    rf"(?:[こそあ]の|(?:これ|それ|あれ)らの|上の|上記の?|直前の|さっきの|先ほどの|↑の?)[^\s、。]{{0,12}}?(?:{POINTED_AT})",
    r"\b(?:this|that|these|those|the) (?:\w+ )?(?:notification|alert|post|message|feed|bot|link|url)s?\b",
)
"""Words that point at a message or its link, as alternatives of a pattern."""
MOST_CHARS = 80
"""A longer text says more than thanks."""

_THANKS = re.compile("|".join(THANKS), re.IGNORECASE)
_BESIDE = re.compile("|".join(BESIDE_THANKS), re.IGNORECASE)
_STOPPING = re.compile(rf"(?:{'|'.join(STOPPING)}) ?{POLITELY}", re.IGNORECASE)
_HELP = re.compile(rf"(?:{'|'.join(HELP)}) ?{POLITELY}", re.IGNORECASE)
_AT_THE_END = "。、.!~ー…-"
_EMOJI = re.compile(r":[\w+'-]+:")
_POINTING = re.compile("|".join(POINTING), re.IGNORECASE)
_NOT_A_WORD = re.compile(r"[\W_]+")
_ASKING = re.compile("|".join(ASKING), re.MULTILINE)
_URL = re.compile(r"<?https?://[^\s<>]+>?")


def only_thanks(text: str) -> bool:
    """Whether a text thanks or acknowledges, and says nothing else."""
    plain = _EMOJI.sub(" ", _normalised(text))
    if len(plain) > MOST_CHARS or _ASKING.search(plain):
        return False
    rest, found = _THANKS.subn(" ", plain)
    return found > 0 and not _NOT_A_WORD.sub("", _BESIDE.sub(" ", rest))


def asks_to_stop(text: str) -> bool:
    """Whether a text asks to stop an answer, and says nothing else; with a question mark it asks."""
    return bool(_STOPPING.fullmatch(_normalised(text).rstrip(_AT_THE_END)))


def asks_for_help(text: str) -> bool:
    """Whether a text asks how the app is used, and says nothing else."""
    return bool(_HELP.fullmatch(_normalised(text).rstrip(f"{_AT_THE_END}?")))


def asks(text: str) -> bool:
    """Whether a text asks for something: by a question mark, a question's ending, or a request."""
    return bool(_ASKING.search(_URL.sub(" ", _normalised(text))))


def points_at_message(text: str) -> bool:
    """Whether a text points at a message in its thread, or at a link in one."""
    return bool(_POINTING.search(_URL.sub(" ", _normalised(text))))


def _normalised(text: str) -> str:
    """In one width and without mentions; full-width question marks become `?`."""
    return unicodedata.normalize("NFKC", unwrapped(text, {})).strip()
