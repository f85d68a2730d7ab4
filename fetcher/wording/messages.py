"""Messages of the engine and the agent to people, in Japanese and English: one function for each message."""

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
from fetcher.wording.language import chosen

_LOGIN = frozenset({401, 403})

_SENTENCES: dict[ErrorCode | DocumentCode, tuple[str, str]] = {
    ErrorCode.BAD_ARGS: (
        "リクエストの内容に誤りがあるため、ページを読み取れませんでした。リンクをご確認ください。",
        "The page could not be read because the request is not valid. Please check the link.",
    ),
    ErrorCode.INVALID_URL: (
        "リンクの形式が正しくないようです。ご確認のうえ、もう一度お試しください。",
        "The link does not seem to be valid. Please check it and try again.",
    ),
    ErrorCode.INVALID_SCHEME: (
        "http:// または https:// で始まるリンクだけを読み取れます。",
        "Only links that begin with http:// or https:// can be read.",
    ),
    ErrorCode.INVALID_HOST: (
        "リンクのホスト名が正しくありません。リンクをご確認ください。",
        "The host name in the link is not valid. Please check the link.",
    ),
    ErrorCode.PORT_BLOCKED: (
        "このリンクのポートへの接続は許可されていません。ポート番号（「:8080」など）の付かないリンクをお送りください。",
        "Connections to this port are not allowed. Please send a link without a port number (such as :8080).",
    ),
    ErrorCode.SSRF_BLOCKED: (
        "社内ネットワークなど、公開されていないアドレスのため読み取れません。共有して差し支えない内容でしたら、本文に貼り付けてお送りください。",
        "This address is not public (for example, inside a company network), so it cannot be read. "
        "If you may share its text, please paste it into your message.",
    ),
    ErrorCode.DNS_FAILED: (
        "サイトが見つかりませんでした。リンクのドメイン名をご確認ください。",
        "The site was not found. Please check the domain name in the link.",
    ),
    ErrorCode.ROBOTS_DISALLOWED: (
        "このサイトは自動での読み取りを許可していないため（robots.txt）、読み取りませんでした。"
        "お手数ですが、ブラウザで直接ご覧ください。",
        "This site does not allow automatic reading (robots.txt), so the page was not read. "
        "Please look at it in your browser.",
    ),
    ErrorCode.ROBOTS_UNAVAILABLE: (
        "サイトに接続できないか、読み取りのルール（robots.txt）を確認できなかったため、読み取りを見合わせました。"
        "ブラウザで開けるかご確認のうえ、しばらくしてからもう一度お試しください。",
        "The site could not be reached, or its rules for reading (robots.txt) could not be checked, so the page "
        "was not read. Please check whether it opens in a browser, and try again later.",
    ),
    ErrorCode.REDIRECT_LIMIT: (
        "転送が多すぎるため、ページにたどり着けませんでした。ブラウザで開けるか確かめて、移動先のリンクをお送りください。",
        "There were too many redirects, and no page was reached. Please check that it opens in your browser, "
        "and send the link of the page where you end up.",
    ),
    ErrorCode.TIMEOUT: (
        "時間内にページを読み取れませんでした。しばらくしてからもう一度お試しください。",
        "The page could not be read in time. Please try again later.",
    ),
    ErrorCode.NETWORK: (
        "サイトに接続できませんでした。しばらくしてからもう一度お試しください。",
        "The site could not be reached. Please try again later.",
    ),
    ErrorCode.RESPONSE_TOO_LARGE: (
        "ページのサイズが大きすぎるため、読み取れませんでした。必要な部分だけのページがあれば、そのリンクをお送りください。",
        "The page is too large to read. Please send the link of a page with only the part that you need.",
    ),
    ErrorCode.UNSUPPORTED_CONTENT_TYPE: (
        "この形式のファイルは読み取れません。Webページのリンクをお送りください。",
        "This kind of file cannot be read. Please send the link of a web page.",
    ),
    ErrorCode.BROWSER_UNAVAILABLE: (
        "このページの表示にはブラウザが必要ですが、この環境では利用できません。管理者にご相談ください。",
        "This page needs a browser, and none is available here. Please ask your administrator.",
    ),
    ErrorCode.BROWSER_CRASHED: (
        "ブラウザでの表示に失敗しました。しばらくしてからもう一度お試しください。",
        "The page could not be shown in the browser. Please try again later.",
    ),
    ErrorCode.EXTRACTION_FAILED: (
        "ページの内容を読み取れませんでした。別のページをお試しください。",
        "The content of the page could not be read. Please try another page.",
    ),
    ErrorCode.CACHE_READ_FAILED: (
        "保存済みのページを読み取れませんでした。しばらくしてからもう一度お試しください。",
        "The saved copy of the page could not be loaded. Please try again later.",
    ),
    DocumentCode.DOCUMENT_ENCRYPTED: (
        "この文書はパスワードで保護されているため、読み取れませんでした。パスワードのない文書をお送りください。",
        "This document has a password, so it could not be read. Please send one without a password.",
    ),
    DocumentCode.DOCUMENT_DAMAGED: (
        "文書ファイルが壊れているか、途中までしかないため、読み取れませんでした。ブラウザなどで開けるかご確認ください。",
        "The document is damaged or incomplete, so it could not be read. Please check whether it opens in a browser.",
    ),
    DocumentCode.DOCUMENT_HAS_NO_TEXT: (
        "この文書には文字の情報がありません（スキャン画像など）。文字を選択できる文書をお送りください。",
        "This document has no text (it may be a scan). Please send one whose text can be selected.",
    ),
    DocumentCode.DOCUMENT_FONTS_UNREADABLE: (
        "この文書のフォントには文字コードの情報がないため、文章として読み取れませんでした。"
        "文字を選択してコピーできる文書をお送りください。",
        "The fonts of this document do not say which characters they show, so its text could not be read. "
        "Please send a document whose text can be selected and copied.",
    ),
    DocumentCode.DOCUMENT_TOO_LARGE: (
        "文書が大きすぎるか複雑すぎるため、決められた時間とメモリの範囲では読み取れませんでした。"
        "必要な部分だけの文書をお送りください。",
        "The document is too large or too complex to be read within the limits on time and memory. "
        "Please send a document with only the part that you need.",
    ),
    ErrorCode.INTERNAL: (
        "内部エラーが発生しました。しばらくしてからもう一度お試しください。",
        "An internal error occurred. Please try again later.",
    ),
}

_NOT_READ = {
    r"application/pdf": (
        "この読み取り方法ではPDFファイルを読み取れません。",
        "This way of reading does not support PDF files.",
    ),
    r"image/.+": (
        "画像ファイルのリンクは読み取れません。画像が載っているWebページのリンクをお送りください。",
        "Links to pictures cannot be read. Please send the link of the web page that shows the picture.",
    ),
    r"audio/.+|application/ogg": (
        "音声ファイルは読み取れません。文字起こしなどのテキストがあれば、そのリンクをお送りください。",
        "Audio files cannot be read. If there is a transcript, please send its link.",
    ),
    r"video/.+": (
        "動画ファイルは読み取れません。説明のあるWebページのリンクをお送りください。",
        "Video files cannot be read. Please send the link of a web page that describes the video.",
    ),
    r"application/(?:zip|gzip|zstd|vnd\.rar|x-(?:bzip2|xz|7z-compressed|tar|lzh-compressed)|vnd\.ms-cab-compressed)": (
        "圧縮ファイルは開かずに、読み取りを中止しました。中のファイルのリンクをお送りください。",
        "Archives are not opened. Please send the link of the file inside it.",
    ),
    r"application/(?:x-elf|x-executable|wasm|vnd\.microsoft\.portable-executable)": (
        "プログラムの実行ファイルのため、安全のために読み取りを中止しました。",
        "This is a program, so it was not read, for safety.",
    ),
    r"application/(?:msword|vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.presentationml.*)": (
        "この形式のOffice文書には対応していません。PDFまたはWord（docx）形式でお試しください。",
        "This kind of Office document is not supported. Please try PDF or Word (docx).",
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
        return chosen(*next(refused, _SENTENCES[error.code]))
    if isinstance(error, NetworkFailed) and error.answered:
        status = error.details.get("status")
        return chosen(
            f"サイトからの応答{f'（HTTP {status}）' if status else ''}が通常のページではないため、読み取れませんでした。リンクをご確認ください。",
            f"The site's response{f' (HTTP {status})' if status else ''} is not an ordinary page, so it could not be read. Please check the link.",
        )
    if isinstance(error, DnsFailed) and not error.is_certain:
        return chosen(
            "サイトの場所を調べられませんでした。ネットワークにつながっていないか、一時的な問題が起きている可能性があります。しばらくしてからもう一度お試しください。",
            "The site's address could not be looked up. There may be no network connection, or a temporary problem. "
            "Please try again later.",
        )
    if isinstance(error, SsrfBlocked) and error.after_redirect:
        return chosen(
            "このリンクは公開されていないアドレスへ転送されるため、読み取りを中止しました。",
            "This link redirects to an address that is not public, so reading was stopped.",
        )
    return chosen(*_SENTENCES[error.code])


def switched_off() -> str:
    return chosen(
        "管理者の設定により、Webページの読み取りは停止されています。ご利用については管理者にご相談ください。",
        "Your administrator has switched off the reading of web pages. Please ask them about using it.",
    )


def login_page(title: str) -> str:
    """A link led to a page at which people sign in."""
    return chosen(
        f"リンクがログイン画面（「{title}」）に転送されたため、その先の内容は読み取れていません。"
        "公開されているリンクをお送りいただくか、共有して差し支えない内容でしたら、本文に貼り付けてお送りください。",
        f'The link led to a login page ("{title}"), so what is behind it was not read. '
        "Please send a public link or, if you may share its text, paste it into your message.",
    )


def page_cut(title: str, kilobytes: int) -> str:
    """Only the beginning of a page was downloaded."""
    return chosen(
        f"「{title}」は大きなページのため、先頭の{kilobytes:,}KBだけを読み取りました。それより後の内容は含まれていません。",
        f'"{title}" is a large page; only its first {kilobytes:,} KB were read. What comes after is not included.',
    )


_TRUNCATED = {
    TruncationReason.BROWSER_DOM_TRUNCATED: (
        "大きすぎるため、終わりの部分を読み取れませんでした。",
        "is too large; its last part could not be read.",
    ),
    TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL: (
        "表示が完了する前に読み取ったため、一部の内容が欠けている可能性があります。",
        "was read before it was shown completely; some of it may be missing.",
    ),
    TruncationReason.TOOL_OUTPUT_LIMIT: (
        "とても長いため、文章は途中までを読み取りました。",
        "is very long; only the first part of its text was read.",
    ),
}


def page_truncated(title: str, reason: TruncationReason) -> str:
    """Something of a page is missing, and why."""
    why = chosen(*_TRUNCATED[reason])
    return chosen(f"「{title}」は{why}", f'"{title}" {why}')


def page_partly_noted(title: str, percent: int) -> str:
    """Notes were made of a part of a long page only."""
    return chosen(
        f"「{title}」は長いページのため、全体の約{percent}％だけを読み取ってまとめました。",
        f'"{title}" is a long page; this covers only about {percent}% of it.',
    )


def on_page(title: str, page: int) -> str:
    """A source, where it is one page of a document."""
    return chosen(f"{title}（{page}ページ）", f"{title} (page {page})")


def on_sheet(title: str, sheet: str) -> str:
    """A source, where it is one sheet of a workbook."""
    return chosen(f"{title}（シート「{sheet}」）", f'{title} (sheet "{sheet}")')


def quoted(name: str) -> str:
    """The name of a file that a person has sent, in a sentence."""
    return chosen(f"「{name}」", f'"{name}"')


def file_failed(name: str, why: str) -> str:
    """A file that a person has sent could not be had."""
    return chosen(f"「{name}」：{why}", f'"{name}": {why}')


def scans_left_out(title: str, pages: int) -> str:
    """Some pages of a document are pictures that were not read."""
    return chosen(
        f"「{title}」には、画像だけのため読み取れなかったページが{pages}ページあります。",
        f'"{title}": {pages} {"page is a picture" if pages == 1 else "pages are pictures"} that could not be read.',
    )


def file_cut(file_name: str) -> str:
    return chosen(
        f"「{file_name}」の表は、大きいため途中までしか含まれていない可能性があります。",
        f'The table in "{file_name}" is large and may be incomplete.',
    )


def _http_status(error: HttpStatusError) -> str:
    status = f"HTTP {error.status}"
    if error.status in _LOGIN:
        return chosen(
            f"このページの閲覧にはログインや権限が必要なため、読み取れませんでした（{status}）。"
            "共有して差し支えない内容でしたら、本文に貼り付けてお送りください。",
            f"This page needs a login or a permission, so it could not be read ({status}). "
            "If you may share its text, please paste it into your message.",
        )
    if error.status == 404:
        return chosen(
            "ページが見つかりませんでした（HTTP 404）。リンクをご確認ください。",
            "The page was not found (HTTP 404). Please check the link.",
        )
    if wait := error.details.get("retry_after"):
        return chosen(
            f"サイトが混み合っています（{status}）。{wait}秒ほど待ってから、もう一度お試しください。",
            f"The site is busy ({status}). Please wait about {wait} seconds and try again.",
        )
    if error.retryable:
        return chosen(
            f"サイトでエラーが発生しています（{status}）。しばらくしてからもう一度お試しください。",
            f"The site reports an error ({status}). Please try again later.",
        )
    return chosen(
        f"ページを読み取れませんでした（{status}）。リンクをご確認ください。",
        f"The page could not be read ({status}). Please check the link.",
    )


_NOTES = {
    AgentCode.EMPTY_QUESTION: (
        "質問が空のようです。リンクと知りたいことを一緒にお送りください。",
        "The question seems to be empty. Please send a link together with what you want to know.",
    ),
    AgentCode.URL_NOT_IN_CONTEXT: (
        "会話に出ていないリンクだったため、読み取りませんでした。リンクをメッセージに貼ってお送りください。",
        "This link is not in the conversation, so it was not read. Please paste it into a message.",
    ),
    AgentCode.URL_TOO_LONG: (
        "リンクが長すぎるため、読み取りませんでした。短いリンクがあれば、お送りください。",
        "The link is too long, so it was not read. Please send a shorter one if there is one.",
    ),
    AgentCode.DOMAIN_BLOCKED: (
        "管理者の設定により、このサイトは読み取りの対象外です。必要な場合は、管理者にご相談ください。",
        "Your administrator has excluded this site from reading. Please ask them if you need it.",
    ),
    AgentCode.SLACK_MESSAGE_REFUSED: (
        "このSlackのメッセージは読み取れません。読み取れるのは、質問と同じチャンネルか、このアプリが参加しているパブリックチャンネルのメッセージだけです（ゲストや社外の方がかかわる場合は、質問と同じチャンネルだけです）。",
        "This Slack message cannot be read. Only messages of the channel of the question, and of public channels that "
        "this app is in, can be (for guests and people outside the organization, only those of the same channel).",
    ),
    AgentCode.SLACK_MESSAGE_FAILED: (
        "Slackのメッセージを読み取れませんでした。しばらくしてからもう一度お試しください。",
        "The Slack message could not be read. Please try again later.",
    ),
    AgentCode.SLACK_PERMALINK: (
        "このSlackのリンクは読み取れません。内容を本文に貼り付けてお送りください。",
        "This link to Slack cannot be read. Please paste the text into your message.",
    ),
    AgentCode.FETCH_LIMIT: (
        "一度の質問で読み取れるページやファイルの数の上限に達したため、一部は読み取っていません。",
        "The limit of pages and files for one question was reached, so some were not read.",
    ),
    AgentCode.UNNAMED_HOST_LIMIT: (
        "メッセージに出ていないサイトは、一度の質問で3ページまでしか読み取れないため、一部のページは読み取っていません。リンクを貼っていただければ読み取ります。",
        "Of sites that no message names, only three pages are read for one question, so some pages were not read. "
        "Please paste the links that you want to be read.",
    ),
    AgentCode.QUERY_TOO_LONG: (
        "検索する言葉が長すぎたため、検索しませんでした。短い言葉でお試しください。",
        "The words to search for are too long, so nothing was searched. Please use fewer words.",
    ),
    AgentCode.QUERY_QUOTES_OTHERS: (
        "ほかの方のメッセージやファイルの内容が社外の検索サービスに送られないよう、検索を取りやめました。調べたいことを、ご自身の言葉でお書きください。",
        "The search was not made, so that what other people wrote or sent does not go to a search service outside. "
        "Please say in your own words what to look for.",
    ),
    AgentCode.SEARCH_LIMIT: (
        "一度の質問でできるWeb検索は3回までのため、それより後の検索はしていません。",
        "At most three searches of the web are made for one question, so later ones were not made.",
    ),
    AgentCode.SEARCH_UNAVAILABLE: (
        "Web検索ができませんでした。しばらくしてからもう一度お試しいただくか、ページのリンクをお送りください。",
        "The web could not be searched. Please try again later, or send the link of a page.",
    ),
    AgentCode.SEARCH_REJECTED: (
        "Web検索の設定に問題があるため、検索できませんでした。管理者にお知らせください。",
        "There is a problem with the settings of the web search, so nothing was searched. Please tell your administrator.",
    ),
    AgentCode.PAGE_NOT_READ: (
        "まだ読み取っていないページのため、その操作はできませんでした。",
        "This page has not been read yet, so that was not possible.",
    ),
    AgentCode.NO_SUCH_TABLE: (
        "指定された表がページに見つかりませんでした。",
        "That table was not found on the page.",
    ),
    AgentCode.NO_SUCH_COLUMN: (
        "指定された列が表に見つかりませんでした。",
        "That column was not found in the table.",
    ),
    AgentCode.NOT_COMPARABLE: (
        "指定された条件が表の値と比べられなかったため、絞り込みができませんでした。",
        "The condition could not be compared with the table's values, so nothing was filtered.",
    ),
    AgentCode.FILE_TOO_LARGE: (
        "ファイルが大きすぎるため、添付できませんでした。",
        "The file is too large to attach.",
    ),
    AgentCode.FILE_TYPE_NOT_ALLOWED: (
        "この形式のファイルは作成できません。Excel、CSV、JSON、テキストに対応しています。",
        "Files of this kind cannot be made. Excel, CSV, JSON and text can.",
    ),
    AgentCode.FILE_LIMIT: (
        "添付できるファイル数の上限に達したため、一部のファイルは作成していません。",
        "The limit of files for one answer was reached, so some files were not made.",
    ),
    AgentCode.FILE_INVALID: (
        "ファイルの内容が正しい形式にならなかったため、添付できませんでした。",
        "The file's content did not have a valid form, so it was not attached.",
    ),
    AgentCode.FILE_GONE: (
        "ファイルが削除されたか、見られなくなったため、読み取れませんでした。もう一度ファイルをお送りください。",
        "The file was deleted or can no longer be seen, so it could not be read. Please send it again.",
    ),
    AgentCode.FILE_EXTERNAL: (
        "Google ドライブなど、Slackの外に保存されたファイルは読み取れません。ファイルそのものをSlackに送るか、公開されているリンクをお送りください。",
        "Files that are kept outside Slack, such as in Google Drive, cannot be read. "
        "Please send the file itself to Slack, or a public link.",
    ),
    AgentCode.FILE_HIDDEN: (
        "ワークスペースの保存期間や容量の上限により、Slackがこのファイルを表示していないため、読み取れませんでした。もう一度ファイルをお送りください。",
        "Slack does not show this file because of the workspace's limits on storage or age, so it could not be read. "
        "Please send it again.",
    ),
    AgentCode.FILE_ACCESS_DENIED: (
        "このアプリにはファイルを見る権限がないため、読み取れませんでした。社外と共有しているチャンネルの場合は、ファイルを送り直してください。続くときは、管理者にアプリの再インストールをご依頼ください。",
        "This app may not see the file, so it could not be read. In a channel that is shared with another "
        "organization, please send the file again. If that does not help, please ask your administrator to reinstall "
        "the app.",
    ),
    AgentCode.FILE_DOWNLOAD_FAILED: (
        "Slackからファイルを受け取れませんでした。しばらくしてからもう一度お試しください。",
        "The file could not be downloaded from Slack. Please try again later.",
    ),
    AgentCode.FILES_NOT_SENT: (
        "この構成では、Slackに添付されたファイルや、Slackのメッセージへのリンクを読み取れません。内容が載っているページのリンクをお送りください。",
        "In this setup, files attached in Slack and links to Slack messages cannot be read. "
        "Please send the link of a page with the content.",
    ),
    AgentCode.ATTACHMENT_TOO_LARGE: (
        "ファイルが大きすぎるため、読み取れませんでした。必要な部分だけのファイルをお送りください。",
        "The file is too large to read. Please send a file with only the part that you need.",
    ),
    AgentCode.PICTURE_NOT_SEEN: (
        "画像の内容は、AIモデルがないと見ることができません。文字の部分を本文に貼り付けてお送りください。",
        "Pictures can be seen only with an AI model. Please paste their text into your message.",
    ),
    AgentCode.PICTURE_TYPE: (
        "この形式の画像は見ることができません。PNG、JPEG、GIF、WebPのいずれかでお送りください。",
        "Pictures of this kind cannot be seen. Please send PNG, JPEG, GIF or WebP.",
    ),
    AgentCode.PICTURE_TOO_LARGE: (
        "画像が大きすぎるか壊れているため、見ることができませんでした。縮小した画像をお送りください。",
        "The picture is too large or damaged, so it could not be seen. Please send a smaller one.",
    ),
    AgentCode.TOOL_UNKNOWN: (
        "対応していない操作だったため、実行しませんでした。",
        "This operation is not supported, so it was not done.",
    ),
    AgentCode.MODEL_UNAVAILABLE: (
        "AIモデルが混み合っているか、応答がありませんでした。時間をおいてもう一度お試しください。",
        "The AI model is busy or did not respond. Please try again later.",
    ),
    AgentCode.MODEL_REJECTED: (
        "AIモデルの設定に問題があるため、回答を作成できませんでした。管理者にお知らせください。",
        "There is a problem with the settings of the AI model, so no answer could be made. "
        "Please tell your administrator.",
    ),
    AgentCode.MODEL_REFUSED: (
        "AIモデルの安全上の判断により、この質問にはお答えできませんでした。知りたいことを具体的に書き換えるか、別のページでお試しください。",
        "For reasons of safety, the AI model did not answer this question. "
        "Please say more exactly what you want to know, or try another page.",
    ),
    AgentCode.MODEL_SILENT: (
        "AIモデルから回答が返ってきませんでした。質問を言い換えて、もう一度お試しください。",
        "The AI model gave no answer. Please ask in other words and try again.",
    ),
    AgentCode.TIME_LIMIT: (
        "時間の上限に達したため、途中までの回答です。",
        "The time limit was reached, so this answer is incomplete.",
    ),
    AgentCode.TURN_LIMIT: (
        "調べる回数の上限に達したため、ここまでにわかったことをお答えしています。",
        "The limit of steps was reached; this is what was found so far.",
    ),
    AgentCode.TOKEN_LIMIT: (
        "文章量の上限に達したため、一部を省略しています。",
        "The limit of text was reached, so something was left out.",
    ),
}


def note(code: AgentCode) -> str:
    """A sentence about what was left undone, or why."""
    return chosen(*_NOTES[code])


_INSTEAD = {
    AgentCode.MODEL_REJECTED: (
        "AIモデルの設定に問題があるため、AIを使わずにページの抜粋でお答えしました。管理者にお知らせください。",
        "There is a problem with the settings of the AI model, so this answer consists of excerpts from the page, "
        "without AI. Please tell your administrator.",
    ),
    AgentCode.MODEL_UNAVAILABLE: (
        "AIモデルが混み合っているか、応答がなかったため、AIを使わずにページの抜粋でお答えしました。時間をおいてお試しいただくと、AIがお答えします。",
        "The AI model is busy or did not respond, so this answer consists of excerpts from the page, without AI. "
        "If you try again later, AI will answer.",
    ),
    AgentCode.MODEL_SILENT: (
        "AIモデルから回答が返ってこなかったため、AIを使わずにページの抜粋でお答えしました。",
        "The AI model gave no answer, so this answer consists of excerpts from the page, without AI.",
    ),
    AgentCode.TIME_LIMIT: (
        "時間の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
        "The time limit was reached, so this answer consists of excerpts from the page, without AI.",
    ),
    AgentCode.TURN_LIMIT: (
        "調べる回数の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
        "The limit of steps was reached, so this answer consists of excerpts from the page, without AI.",
    ),
    AgentCode.TOKEN_LIMIT: (
        "文章量の上限に達したため、AIを使わずにページの抜粋でお答えしました。",
        "The limit of text was reached, so this answer consists of excerpts from the page, without AI.",
    ),
}


def answered_instead(code: AgentCode) -> str:
    """The offline reader has answered in the model's place, and why; the note of any other code."""
    return chosen(*_INSTEAD.get(code, _NOTES[code]))


def refused() -> str:
    return chosen(*_NOTES[AgentCode.MODEL_REFUSED])


def fetching(url: str) -> str:
    return chosen(f"ページを開いています：{url}", f"Opening {url}")


def reading(title: str) -> str:
    return chosen(f"読み取っています：{title}", f"Reading: {title}")


def thinking() -> str:
    return chosen("考えています…", "Thinking…")


def example_question(url: str) -> str:
    """What is asked on the command line if no question is given."""
    return chosen(f"{url} の料金表をCSVにして", f"{url} make a CSV of the price table")


def asking_example(question: str) -> str:
    return chosen(
        f"質問がないため、見本のページについて質問します：{question}",
        f"No question was given, so one about a sample page is asked: {question}",
    )


def written(path: str) -> str:
    return chosen(f"ファイルを保存しました：{path}", f"The file was saved: {path}")


def not_written(path: str, why: str) -> str:
    return chosen(
        f"ファイルを保存できませんでした（{path}）：{why}", f"The file could not be saved ({path}): {why}"
    )


def sources_heading() -> str:
    return chosen("出典", "Sources")


def nothing_to_read() -> str:
    """The question has no link, and neither has its thread."""
    return OFFLINE.no_link()


def nothing_found() -> str:
    """A search for a question without a link has found nothing."""
    return chosen(
        "検索しましたが、読み取れるページが見つかりませんでした。言葉を変えるか、ページのリンクをお送りください。",
        "The search found no page that can be read. Please use other words, or send the link of a page.",
    )


def searched(queries: Sequence[str]) -> str:
    """The words that went to a search provider, in the progress and below an answer."""
    return chosen(
        f"検索：{'、'.join(f'「{query}」' for query in queries)}",
        "Searched: " + ", ".join(f'"{query}"' for query in queries),
    )


def no_answer() -> str:
    return chosen(
        "申し訳ありません。回答を作成できませんでした。質問を変えて、もう一度お試しください。",
        "Sorry, no answer could be made. Please change the question and try again.",
    )


class Coded(Protocol):
    """An error of the agent, of which only the code is used."""

    code: AgentCode


class OfflinePhrases:
    """Messages of the offline reader."""

    def no_model(self) -> str:
        return chosen(
            "※ AIを使わないオフラインリーダーが、ページの記述をそのまま抜粋しています。",
            "Note: the offline reader, which uses no AI, has quoted the page as it is.",
        )

    def no_link(self) -> str:
        return chosen(
            "読み取るリンクが見つかりませんでした。ページのリンクと、知りたいことを一緒にお送りください。\n"
            "例：「（ページのリンク）の料金表をCSVにして」「（ページのリンク）を3行で要約して」",
            "No link to read was found. Please send the link of a page together with what you want to know.\n"
            'Examples: "(link) make a CSV of the price table", "(link) summarize in three lines"',
        )

    def nothing_read(self) -> str:
        return chosen("申し訳ありません。内容を読み取れませんでした。", "Sorry, nothing could be read.")

    def failed(self, url: str, error: FetchError | Coded) -> str:
        return chosen(
            f"{url}：{failure(error) if isinstance(error, FetchError) else note(error.code)}",
            f"{url}: {failure(error) if isinstance(error, FetchError) else note(error.code)}",
        )

    def out_of_time(self, url: str) -> str:
        return chosen(f"{url}：時間内に読み取れませんでした。", f"{url}: it could not be read in time.")

    def too_many_links(self, left_out: int, most: int) -> str:
        return chosen(
            f"一度に読み取れるのは{most}ページまでのため、{left_out}件のリンクは読み取っていません。",
            f"At most {most} pages are read at a time, so "
            f"{'1 link was' if left_out == 1 else f'{left_out} links were'} not read.",
        )

    def no_match(self) -> str:
        return chosen(
            "質問の言葉に直接あたる箇所を特定できなかったため、冒頭をお知らせします。",
            "No passage was found that matches the words of the question. This is the beginning of the text.",
        )

    def page_words(self) -> str:
        return chosen(
            "（次の引用はページに書かれている文です。このアプリからの案内や指示ではありません。）",
            "(The next quotation is text on the page. It is neither advice nor an instruction of this app.)",
        )

    def empty_page(self) -> str:
        return chosen("読み取れる文章がありませんでした。", "There was no text to read.")

    def outline(self) -> str:
        return chosen("見出し：", "Headings:")

    def table(self, number: int) -> str:
        return chosen(f"表{number}", f"Table {number}")

    def file_made(self, table: str, file_name: str, rows: int) -> str:
        return chosen(
            f"「{table}」（{rows}行）を {file_name} にまとめました。",
            f'"{table}" ({rows} {"row" if rows == 1 else "rows"}) is in {file_name}.',
        )

    def other_tables(self, tables: Sequence[str]) -> str:
        japanese, english = (
            "、".join(f"「{each}」" for each in tables),
            ", ".join(f'"{each}"' for each in tables),
        )
        return chosen(
            f"このページにはほかに{japanese}があります。必要な表の名前をお知らせください。",
            f"This page also has {english}. Please name the table that you need.",
        )

    def no_table(self) -> str:
        return chosen(
            "ファイルにできる表が、ページに見つかりませんでした。",
            "No table was found on the page that could be made into a file.",
        )

    def not_selected(self, table: str) -> str:
        return chosen(
            f"「{table}」の絞り込みや並べ替えの条件を読み取れなかったため、表の全体をファイルにしました。",
            f'The conditions for "{table}" were not understood, so the file has the whole table.',
        )

    def format_not_made(self, formats: Sequence[str]) -> str:
        return chosen(
            f"{'、'.join(formats)}形式のファイルは作成できません。Excel、CSV、JSON、テキストに対応しています。",
            f"{', '.join(formats)} files cannot be made. Excel, CSV, JSON and text can.",
        )

    def not_rewritten(self) -> str:
        return chosen(
            "翻訳、言い換え、比較にはAIモデルが必要なため、ページの言葉のままお知らせしています。",
            "Translating, rewriting and comparing take an AI model, so these are the words of the page.",
        )

    def file_refused(self, table: str, error: Coded) -> str:
        return chosen(f"「{table}」：{note(error.code)}", f'"{table}": {note(error.code)}')

    def file_cut(self, file_name: str) -> str:
        return file_cut(file_name)


OFFLINE = OfflinePhrases()
