"""Messages of the engine to people, in Japanese: one function a message."""

import re
from collections.abc import Sequence
from typing import Protocol

from fetcher.codes import AgentCode, DocumentCode, ErrorCode, TruncationReason
from fetcher.web.errors import (
    DnsFailed,
    FetchError,
    HttpStatusError,
    NetworkFailed,
    SsrfBlocked,
    SwitchedOff,
    UnsupportedContentType,
)

_LOGIN = frozenset({401, 403})

_SENTENCES: dict[ErrorCode | DocumentCode, str] = {
    ErrorCode.BAD_ARGS: "リクエストの内容に誤りがあるため、ページを読み取れませんでした。リンクをご確認ください。",
    ErrorCode.INVALID_URL: "リンクの形式が正しくないようです。ご確認のうえ、もう一度お試しください。",
    ErrorCode.INVALID_SCHEME: "http:// または https:// で始まるリンクだけを読み取れます。",
    ErrorCode.INVALID_HOST: "リンクのホスト名が正しくありません。リンクをご確認ください。",
    ErrorCode.PORT_BLOCKED: "このリンクのポートへの接続は許可されていません。ポート番号（「:8080」など）の付かないリンクをお送りください。",
    ErrorCode.SSRF_BLOCKED: (
        "社内ネットワークなど、公開されていないアドレスのため読み取れません。共有して差し支えない内容でしたら、本文に貼り付けてお送りください。"
    ),
    ErrorCode.DNS_FAILED: "サイトが見つかりませんでした。リンクのドメイン名をご確認ください。",
    ErrorCode.ROBOTS_DISALLOWED: (
        "このサイトは自動での読み取りを許可していないため（robots.txt）、読み取りませんでした。"
        "お手数ですが、ブラウザで直接ご覧ください。"
    ),
    ErrorCode.ROBOTS_UNAVAILABLE: (
        "サイトに接続できないか、読み取りのルール（robots.txt）を確認できなかったため、読み取りを見合わせました。"
        "ブラウザで開けるかご確認のうえ、しばらくしてからもう一度お試しください。"
    ),
    ErrorCode.REDIRECT_LIMIT: "転送が多すぎるため、ページにたどり着けませんでした。ブラウザで開けるか確かめて、移動先のリンクをお送りください。",
    ErrorCode.TIMEOUT: "時間内にページを読み取れませんでした。しばらくしてからもう一度お試しください。",
    ErrorCode.NETWORK: "サイトに接続できませんでした。しばらくしてからもう一度お試しください。",
    ErrorCode.RESPONSE_TOO_LARGE: "ページのサイズが大きすぎるため、読み取れませんでした。必要な部分だけのページがあれば、そのリンクをお送りください。",
    ErrorCode.UNSUPPORTED_CONTENT_TYPE: "この形式のファイルは読み取れません。Webページのリンクをお送りください。",
    ErrorCode.BROWSER_UNAVAILABLE: (
        "このページの表示にはブラウザが必要ですが、この環境では利用できません。管理者にご相談ください。"
    ),
    ErrorCode.BROWSER_CRASHED: "ブラウザでの表示に失敗しました。しばらくしてからもう一度お試しください。",
    ErrorCode.EXTRACTION_FAILED: "ページの内容を読み取れませんでした。別のページをお試しください。",
    ErrorCode.CACHE_READ_FAILED: "保存済みのページを読み取れませんでした。しばらくしてからもう一度お試しください。",
    DocumentCode.DOCUMENT_ENCRYPTED: "この文書はパスワードで保護されているため、読み取れませんでした。パスワードのない文書をお送りください。",
    DocumentCode.DOCUMENT_DAMAGED: "文書ファイルが壊れているか、途中までしかないため、読み取れませんでした。ブラウザなどで開けるかご確認ください。",
    DocumentCode.DOCUMENT_HAS_NO_TEXT: "この文書には文字の情報がありません（スキャン画像など）。文字を選択できる文書をお送りください。",
    DocumentCode.DOCUMENT_FONTS_UNREADABLE: (
        "この文書のフォントには文字コードの情報がないため、文章として読み取れませんでした。"
        "文字を選択してコピーできる文書をお送りください。"
    ),
    DocumentCode.DOCUMENT_TOO_LARGE: (
        "文書が大きすぎるか複雑すぎるため、決められた時間とメモリの範囲では読み取れませんでした。"
        "必要な部分だけの文書をお送りください。"
    ),
    ErrorCode.INTERNAL: "内部エラーが発生しました。しばらくしてからもう一度お試しください。",
}

_NOT_READ = {
    r"application/pdf": "この読み取り方法ではPDFファイルを読み取れません。",
    r"image/.+": "画像ファイルのリンクは読み取れません。画像が載っているWebページのリンクをお送りください。",
    r"audio/.+|application/ogg": "音声ファイルは読み取れません。文字起こしなどのテキストがあれば、そのリンクをお送りください。",
    r"video/.+": "動画ファイルは読み取れません。説明のあるWebページのリンクをお送りください。",
    r"application/(?:zip|gzip|zstd|vnd\.rar|x-(?:bzip2|xz|7z-compressed|tar|lzh-compressed)|vnd\.ms-cab-compressed)": (
        "圧縮ファイルは開かずに、読み取りを中止しました。中のファイルのリンクをお送りください。"
    ),
    r"application/(?:x-elf|x-executable|wasm|vnd\.microsoft\.portable-executable)": (
        "プログラムの実行ファイルのため、安全のために読み取りを中止しました。"
    ),
    r"application/(?:msword|vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.presentationml.*)": (
        "この形式のOffice文書には対応していません。PDFまたはWord（docx）形式でお試しください。"
    ),
}
"""What is said of content that is never read, by its type."""


def failure(error: FetchError) -> str:
    """One sentence or two for a person: what happened, and what to do."""
    if isinstance(error, SwitchedOff):
        return switched_off()
    if isinstance(error, HttpStatusError):
        return _http_status(error)
    if isinstance(error, UnsupportedContentType):
        kind = error.details["content_type"]
        refused = (sentence for pattern, sentence in _NOT_READ.items() if re.fullmatch(pattern, kind))
        return next(refused, _SENTENCES[error.code])
    if isinstance(error, NetworkFailed) and not error.retryable:
        shown = f"（HTTP {status}）" if (status := error.details.get("status")) else ""
        return f"サイトからの応答{shown}が通常のページではないため、読み取れませんでした。リンクをご確認ください。"
    if isinstance(error, DnsFailed) and not error.is_certain:
        return "サイトの場所を調べられませんでした。ネットワークにつながっていないか、一時的な問題が起きている可能性があります。しばらくしてからもう一度お試しください。"
    if isinstance(error, SsrfBlocked) and error.after_redirect:
        return "このリンクは公開されていないアドレスへ転送されるため、読み取りを中止しました。"
    return _SENTENCES[error.code]


def switched_off() -> str:
    return (
        "管理者の設定により、Webページの読み取りは停止されています。ご利用については管理者にご相談ください。"
    )


def login_page(title: str) -> str:
    """A link led to a page at which people sign in."""
    return (
        f"リンクがログイン画面（「{title}」）に転送されたため、その先の内容は読み取れていません。"
        "公開されているリンクをお送りいただくか、共有して差し支えない内容でしたら、本文に貼り付けてお送りください。"
    )


def page_cut(title: str, kilobytes: int) -> str:
    """Only the beginning of a page was downloaded."""
    return f"「{title}」は大きなページのため、先頭の{kilobytes:,}KBだけを読み取りました。それより後の内容は含まれていません。"


_TRUNCATED = {
    TruncationReason.BROWSER_DOM_TRUNCATED: "大きすぎるため、終わりの部分を読み取れませんでした。",
    TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL: "表示が完了する前に読み取ったため、一部の内容が欠けている可能性があります。",
    TruncationReason.TOOL_OUTPUT_LIMIT: "長いため、途中までを表示しています。",
}


def page_truncated(title: str, reason: TruncationReason) -> str:
    """Something of a page is missing, and why."""
    return f"「{title}」は{_TRUNCATED[reason]}"


def page_partly_noted(title: str, percent: int) -> str:
    """Notes were made of a part of a long page only."""
    return f"「{title}」は長いページのため、全体の約{percent}％だけを読み取ってまとめました。"


def on_page(title: str, page: int) -> str:
    """A source, where it is one page of a document."""
    return f"{title}（{page}ページ）"


def on_sheet(title: str, sheet: str) -> str:
    """A source, where it is one sheet of a workbook."""
    return f"{title}（シート「{sheet}」）"


def quoted(name: str) -> str:
    """The name of a file that a person has sent, in a sentence."""
    return f"「{name}」"


def file_failed(name: str, why: str) -> str:
    """A file that a person has sent could not be had."""
    return f"「{name}」：{why}"


def scans_left_out(title: str, pages: int) -> str:
    """Some pages of a document are pictures that were not read."""
    return f"「{title}」には、画像だけのため読み取れなかったページが{pages}ページあります。"


def file_cut(file_name: str) -> str:
    return f"「{file_name}」の表は、大きいため途中までしか含まれていない可能性があります。"


def slack_permalink() -> str:
    return _NOTES[AgentCode.SLACK_PERMALINK]


def _http_status(error: HttpStatusError) -> str:
    if error.status in _LOGIN:
        return (
            f"このページの閲覧にはログインや権限が必要なため、読み取れませんでした（HTTP {error.status}）。"
            "共有して差し支えない内容でしたら、本文に貼り付けてお送りください。"
        )
    if error.status == 404:
        return "ページが見つかりませんでした（HTTP 404）。リンクをご確認ください。"
    if wait := error.details.get("retry_after"):
        return f"サイトが混み合っています（HTTP {error.status}）。{wait}秒ほど待ってから、もう一度お試しください。"
    if error.retryable:
        return (
            f"サイトでエラーが発生しています（HTTP {error.status}）。しばらくしてからもう一度お試しください。"
        )
    return f"ページを読み取れませんでした（HTTP {error.status}）。リンクをご確認ください。"


_NOTES = {
    AgentCode.EMPTY_QUESTION: "質問が空のようです。リンクと知りたいことを一緒にお送りください。",
    AgentCode.URL_NOT_IN_CONTEXT: "会話に出ていないリンクだったため、読み取りませんでした。リンクをメッセージに貼ってお送りください。",
    AgentCode.URL_TOO_LONG: "リンクが長すぎるため、読み取りませんでした。短いリンクがあれば、お送りください。",
    AgentCode.DOMAIN_BLOCKED: "管理者の設定により、このサイトは読み取りの対象外です。必要な場合は、管理者にご相談ください。",
    AgentCode.SLACK_MESSAGE_REFUSED: "このSlackのメッセージは読み取れません。読み取れるのは、質問と同じチャンネルか、このアプリが参加しているパブリックチャンネルのメッセージだけです（ゲストや社外の方がかかわる場合は、質問と同じチャンネルだけです）。",
    AgentCode.SLACK_MESSAGE_FAILED: "Slackのメッセージを読み取れませんでした。しばらくしてからもう一度お試しください。",
    AgentCode.SLACK_PERMALINK: "このSlackのリンクは読み取れません。内容を本文に貼り付けてお送りください。",
    AgentCode.FETCH_LIMIT: "一度の質問で読み取れるページ数の上限に達したため、一部のページは読み取っていません。",
    AgentCode.UNNAMED_HOST_LIMIT: "メッセージに出ていないサイトは、一度の質問で3ページまでしか読み取れないため、一部のページは読み取っていません。リンクを貼っていただければ読み取ります。",
    AgentCode.QUERY_TOO_LONG: "検索する言葉が長すぎたため、検索しませんでした。短い言葉でお試しください。",
    AgentCode.QUERY_QUOTES_OTHERS: "ほかの方のメッセージやファイルの内容が社外の検索サービスに送られないよう、検索を取りやめました。調べたいことを、ご自身の言葉でお書きください。",
    AgentCode.SEARCH_LIMIT: "一度の質問でできるWeb検索は3回までのため、それより後の検索はしていません。",
    AgentCode.SEARCH_UNAVAILABLE: "Web検索ができませんでした。しばらくしてからもう一度お試しいただくか、ページのリンクをお送りください。",
    AgentCode.SEARCH_REJECTED: "Web検索の設定に問題があるため、検索できませんでした。管理者にお知らせください。",
    AgentCode.PAGE_NOT_READ: "まだ読み取っていないページのため、その操作はできませんでした。",
    AgentCode.NO_SUCH_TABLE: "指定された表がページに見つかりませんでした。",
    AgentCode.NO_SUCH_COLUMN: "指定された列が表に見つかりませんでした。",
    AgentCode.NOT_COMPARABLE: "指定された条件が表の値と比べられなかったため、絞り込みができませんでした。",
    AgentCode.FILE_TOO_LARGE: "ファイルが大きすぎるため、添付できませんでした。",
    AgentCode.FILE_TYPE_NOT_ALLOWED: "この形式のファイルは作成できません。Excel、CSV、JSON、テキストに対応しています。",
    AgentCode.FILE_LIMIT: "添付できるファイル数の上限に達したため、一部のファイルは作成していません。",
    AgentCode.FILE_INVALID: "ファイルの内容が正しい形式にならなかったため、添付できませんでした。",
    AgentCode.FILE_GONE: "ファイルが削除されたか、見られなくなったため、読み取れませんでした。もう一度ファイルをお送りください。",
    AgentCode.FILE_EXTERNAL: "Google ドライブなど、Slackの外に保存されたファイルは読み取れません。ファイルそのものをSlackに送るか、公開されているリンクをお送りください。",
    AgentCode.FILE_HIDDEN: "ワークスペースの保存期間や容量の上限により、Slackがこのファイルを表示していないため、読み取れませんでした。もう一度ファイルをお送りください。",
    AgentCode.FILE_ACCESS_DENIED: "このアプリにはファイルを見る権限がないため、読み取れませんでした。社外と共有しているチャンネルの場合は、ファイルを送り直してください。続くときは、管理者にアプリの再インストールをご依頼ください。",
    AgentCode.FILE_DOWNLOAD_FAILED: "Slackからファイルを受け取れませんでした。しばらくしてからもう一度お試しください。",
    AgentCode.FILES_NOT_SENT: "この構成では、Slackに添付されたファイルや、Slackのメッセージへのリンクを読み取れません。内容が載っているページのリンクをお送りください。",
    AgentCode.ATTACHMENT_TOO_LARGE: "ファイルが大きすぎるため、読み取れませんでした。必要な部分だけのファイルをお送りください。",
    AgentCode.PICTURE_NOT_SEEN: "画像の内容は、AIモデルがないと見ることができません。文字の部分を本文に貼り付けてお送りください。",
    AgentCode.PICTURE_TYPE: "この形式の画像は見ることができません。PNG、JPEG、GIF、WebPのいずれかでお送りください。",
    AgentCode.PICTURE_TOO_LARGE: "画像が大きすぎるか壊れているため、見ることができませんでした。縮小した画像をお送りください。",
    AgentCode.TOOL_UNKNOWN: "対応していない操作だったため、実行しませんでした。",
    AgentCode.MODEL_UNAVAILABLE: "AIモデルが混み合っているか、応答がありませんでした。時間をおいてもう一度お試しください。",
    AgentCode.MODEL_REJECTED: "AIモデルの設定に問題があるため、回答を作成できませんでした。管理者にお知らせください。",
    AgentCode.MODEL_REFUSED: "AIモデルの安全上の判断により、この質問にはお答えできませんでした。知りたいことを具体的に書き換えるか、別のページでお試しください。",
    AgentCode.MODEL_SILENT: "AIモデルから回答が返ってきませんでした。質問を言い換えて、もう一度お試しください。",
    AgentCode.TIME_LIMIT: "時間の上限に達したため、途中までの回答です。",
    AgentCode.TURN_LIMIT: "調べる回数の上限に達したため、ここまでにわかったことをお答えしています。",
    AgentCode.TOKEN_LIMIT: "文章量の上限に達したため、一部を省略しています。",
}


def note(code: AgentCode) -> str:
    """A sentence about what was left undone, or why."""
    return _NOTES[code]


_INSTEAD = {
    AgentCode.MODEL_REJECTED: "AIモデルの設定に問題があるため、AIを使わずにページの抜粋でお答えしました。管理者にお知らせください。",
    AgentCode.MODEL_UNAVAILABLE: "AIモデルが混み合っているか、応答がなかったため、AIを使わずにページの抜粋でお答えしました。時間をおいてお試しいただくと、AIがお答えします。",
    AgentCode.MODEL_SILENT: "AIモデルから回答が返ってこなかったため、AIを使わずにページの抜粋でお答えしました。",
    AgentCode.TIME_LIMIT: "時間の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
    AgentCode.TURN_LIMIT: "調べる回数の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
    AgentCode.TOKEN_LIMIT: "文章量の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
}


def answered_instead(code: AgentCode) -> str:
    """The offline reader has answered in the model's place, and why; the note of any other code."""
    return _INSTEAD.get(code) or note(code)


def refused() -> str:
    return _NOTES[AgentCode.MODEL_REFUSED]


def fetching(url: str) -> str:
    return f"ページを開いています：{url}"


def reading(title: str) -> str:
    return f"読み取っています：{title}"


def thinking() -> str:
    return "考えています…"


def example_question(url: str) -> str:
    """What is asked on the command line if no question is given."""
    return f"{url} の料金表をCSVにして"


def asking_example(question: str) -> str:
    return f"質問がないため、見本のページについて質問します：{question}"


def written(path: str) -> str:
    return f"ファイルを保存しました：{path}"


def not_written(path: str, why: str) -> str:
    return f"ファイルを保存できませんでした（{path}）：{why}"


def sources_heading() -> str:
    return "出典"


def nothing_to_read() -> str:
    """The question has no link, and neither has its thread."""
    return OFFLINE.no_link()


def nothing_found() -> str:
    """A search for a question without a link has found nothing."""
    return "検索しましたが、読み取れるページが見つかりませんでした。言葉を変えるか、ページのリンクをお送りください。"


def searched(queries: Sequence[str]) -> str:
    """The words that went to a search provider, in the progress and below an answer."""
    return f"検索：{'、'.join(f'「{query}」' for query in queries)}"


def no_answer() -> str:
    return "申し訳ありません。回答を作成できませんでした。質問を変えて、もう一度お試しください。"


class Coded(Protocol):
    """An error of the agent, of which only the code is used."""

    code: AgentCode


class JapaneseOfflinePhrases:
    """Messages of the offline reader."""

    def no_model(self) -> str:
        return "※ AIを使わないオフラインリーダーが、ページの記述をそのまま抜粋しています。"

    def no_link(self) -> str:
        return (
            "読み取るリンクが見つかりませんでした。ページのリンクと、知りたいことを一緒にお送りください。\n"
            "例：「（ページのリンク）の料金表をCSVにして」「（ページのリンク）を3行で要約して」"
        )

    def nothing_read(self) -> str:
        return "申し訳ありません。内容を読み取れませんでした。"

    def failed(self, url: str, error: FetchError | Coded) -> str:
        return f"{url}：{failure(error) if isinstance(error, FetchError) else note(error.code)}"

    def out_of_time(self, url: str) -> str:
        return f"{url}：時間内に読み取れませんでした。"

    def too_many_links(self, left_out: int, most: int) -> str:
        return f"一度に読み取れるのは{most}ページまでのため、{left_out}件のリンクは読み取っていません。"

    def no_match(self) -> str:
        return "質問の言葉に直接あたる箇所を特定できなかったため、冒頭をお知らせします。"

    def page_words(self) -> str:
        return "（次の引用はページに書かれている文です。このアプリからの案内や指示ではありません。）"

    def empty_page(self) -> str:
        return "読み取れる文章がありませんでした。"

    def outline(self) -> str:
        return "見出し："

    def table(self, number: int) -> str:
        return f"表{number}"

    def file_made(self, table: str, file_name: str, rows: int) -> str:
        return f"「{table}」（{rows}行）を {file_name} にまとめました。"

    def other_tables(self, tables: Sequence[str]) -> str:
        names = "、".join(f"「{table}」" for table in tables)
        return f"このページにはほかに{names}があります。必要な表の名前をお知らせください。"

    def no_table(self) -> str:
        return "ファイルにできる表が、ページに見つかりませんでした。"

    def not_selected(self, table: str) -> str:
        return f"「{table}」の絞り込みや並べ替えの条件を読み取れなかったため、表の全体をファイルにしました。"

    def format_not_made(self, formats: Sequence[str]) -> str:
        return f"{'、'.join(formats)}形式のファイルは作成できません。Excel、CSV、JSON、テキストに対応しています。"

    def not_rewritten(self) -> str:
        return "翻訳、言い換え、比較にはAIモデルが必要なため、ページの言葉のままお知らせしています。"

    def file_refused(self, table: str, error: Coded) -> str:
        return f"「{table}」：{note(error.code)}"

    def file_cut(self, file_name: str) -> str:
        return file_cut(file_name)


OFFLINE = JapaneseOfflinePhrases()
