"""Messages of the engine to people, in English: the same functions as in `messages_ja`."""

import re
from collections.abc import Sequence

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
from fetcher.wording.messages_ja import Coded

_LOGIN = frozenset({401, 403})

_SENTENCES: dict[ErrorCode | DocumentCode, str] = {
    ErrorCode.BAD_ARGS: "The page could not be read because the request is not valid. Please check the link.",
    ErrorCode.INVALID_URL: "The link does not seem to be valid. Please check it and try again.",
    ErrorCode.INVALID_SCHEME: "Only links that begin with http:// or https:// can be read.",
    ErrorCode.INVALID_HOST: "The host name in the link is not valid. Please check the link.",
    ErrorCode.PORT_BLOCKED: (
        "Connections to this port are not allowed. Please send a link without a port number (such as :8080)."
    ),
    ErrorCode.SSRF_BLOCKED: (
        "This address is not public (for example, inside a company network), so it cannot be read. "
        "If you may share its text, please paste it into your message."
    ),
    ErrorCode.DNS_FAILED: "The site was not found. Please check the domain name in the link.",
    ErrorCode.ROBOTS_DISALLOWED: (
        "This site does not allow automatic reading (robots.txt), so the page was not read. "
        "Please look at it in your browser."
    ),
    ErrorCode.ROBOTS_UNAVAILABLE: (
        "The site could not be reached, or its rules for reading (robots.txt) could not be checked, so the page "
        "was not read. Please check whether it opens in a browser, and try again later."
    ),
    ErrorCode.REDIRECT_LIMIT: (
        "There were too many redirects, and no page was reached. Please check that it opens in your browser, "
        "and send the link of the page where you end up."
    ),
    ErrorCode.TIMEOUT: "The page could not be read in time. Please try again later.",
    ErrorCode.NETWORK: "The site could not be reached. Please try again later.",
    ErrorCode.RESPONSE_TOO_LARGE: "The page is too large to read. Please send the link of a page with only the part that you need.",
    ErrorCode.UNSUPPORTED_CONTENT_TYPE: "This kind of file cannot be read. Please send the link of a web page.",
    ErrorCode.BROWSER_UNAVAILABLE: (
        "This page needs a browser, and none is available here. Please ask your administrator."
    ),
    ErrorCode.BROWSER_CRASHED: "The page could not be shown in the browser. Please try again later.",
    ErrorCode.EXTRACTION_FAILED: "The content of the page could not be read. Please try another page.",
    ErrorCode.CACHE_READ_FAILED: "The saved copy of the page could not be loaded. Please try again later.",
    DocumentCode.DOCUMENT_ENCRYPTED: (
        "This document has a password, so it could not be read. Please send one without a password."
    ),
    DocumentCode.DOCUMENT_DAMAGED: (
        "The document is damaged or incomplete, so it could not be read. Please check whether it opens in a browser."
    ),
    DocumentCode.DOCUMENT_HAS_NO_TEXT: (
        "This document has no text (it may be a scan). Please send one whose text can be selected."
    ),
    DocumentCode.DOCUMENT_FONTS_UNREADABLE: (
        "The fonts of this document do not say which characters they show, so its text could not be read. "
        "Please send a document whose text can be selected and copied."
    ),
    DocumentCode.DOCUMENT_TOO_LARGE: (
        "The document is too large or too complex to be read within the limits on time and memory. "
        "Please send a document with only the part that you need."
    ),
    ErrorCode.INTERNAL: "An internal error occurred. Please try again later.",
}

_NOT_READ = {
    r"application/pdf": "This way of reading does not support PDF files.",
    r"image/.+": "Links to pictures cannot be read. Please send the link of the web page that shows the picture.",
    r"audio/.+|application/ogg": "Audio files cannot be read. If there is a transcript, please send its link.",
    r"video/.+": "Video files cannot be read. Please send the link of a web page that describes the video.",
    r"application/(?:zip|gzip|zstd|vnd\.rar|x-(?:bzip2|xz|7z-compressed|tar|lzh-compressed)|vnd\.ms-cab-compressed)": (
        "Archives are not opened. Please send the link of the file inside it."
    ),
    r"application/(?:x-elf|x-executable|wasm|vnd\.microsoft\.portable-executable)": (
        "This is a program, so it was not read, for safety."
    ),
    r"application/(?:msword|vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.presentationml.*)": (
        "This kind of Office document is not supported. Please try PDF or Word (docx)."
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
        shown = f" (HTTP {status})" if (status := error.details.get("status")) else ""
        return f"The site's response{shown} is not an ordinary page, so it could not be read. Please check the link."
    if isinstance(error, DnsFailed) and not error.is_certain:
        return (
            "The site's address could not be looked up. There may be no network connection, or a temporary problem. "
            "Please try again later."
        )
    if isinstance(error, SsrfBlocked) and error.after_redirect:
        return "This link redirects to an address that is not public, so reading was stopped."
    return _SENTENCES[error.code]


def switched_off() -> str:
    return "Your administrator has switched off the reading of web pages. Please ask them about using it."


def login_page(title: str) -> str:
    """A link led to a page at which people sign in."""
    return (
        f'The link led to a login page ("{title}"), so what is behind it was not read. '
        "Please send a public link or, if you may share its text, paste it into your message."
    )


def page_cut(title: str, kilobytes: int) -> str:
    """Only the beginning of a page was downloaded."""
    return f'"{title}" is a large page; only its first {kilobytes:,} KB were read. What comes after is not included.'


_TRUNCATED = {
    TruncationReason.BROWSER_DOM_TRUNCATED: "is too large; its last part could not be read.",
    TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL: "was read before it was shown completely; some of it may be missing.",
    TruncationReason.TOOL_OUTPUT_LIMIT: "is long; only its first part is shown.",
}


def page_truncated(title: str, reason: TruncationReason) -> str:
    """Something of a page is missing, and why."""
    return f'"{title}" {_TRUNCATED[reason]}'


def page_partly_noted(title: str, percent: int) -> str:
    """Notes were made of a part of a long page only."""
    return f'"{title}" is a long page; this covers only about {percent}% of it.'


def on_page(title: str, page: int) -> str:
    """A source, where it is one page of a document."""
    return f"{title} (page {page})"


def on_sheet(title: str, sheet: str) -> str:
    """A source, where it is one sheet of a workbook."""
    return f'{title} (sheet "{sheet}")'


def quoted(name: str) -> str:
    """The name of a file that a person has sent, in a sentence."""
    return f'"{name}"'


def file_failed(name: str, why: str) -> str:
    """A file that a person has sent could not be had."""
    return f'"{name}": {why}'


def scans_left_out(title: str, pages: int) -> str:
    """Some pages of a document are pictures that were not read."""
    return f'"{title}": {pages} {"page is a picture" if pages == 1 else "pages are pictures"} that could not be read.'


def file_cut(file_name: str) -> str:
    return f'The table in "{file_name}" is large and may be incomplete.'


def slack_permalink() -> str:
    return _NOTES[AgentCode.SLACK_PERMALINK]


def _http_status(error: HttpStatusError) -> str:
    if error.status in _LOGIN:
        return (
            f"This page needs a login or a permission, so it could not be read (HTTP {error.status}). "
            "If you may share its text, please paste it into your message."
        )
    if error.status == 404:
        return "The page was not found (HTTP 404). Please check the link."
    if wait := error.details.get("retry_after"):
        return f"The site is busy (HTTP {error.status}). Please wait about {wait} seconds and try again."
    if error.retryable:
        return f"The site reports an error (HTTP {error.status}). Please try again later."
    return f"The page could not be read (HTTP {error.status}). Please check the link."


_NOTES = {
    AgentCode.EMPTY_QUESTION: "The question seems to be empty. Please send a link together with what you want to know.",
    AgentCode.URL_NOT_IN_CONTEXT: (
        "This link is not in the conversation, so it was not read. Please paste it into a message."
    ),
    AgentCode.URL_TOO_LONG: "The link is too long, so it was not read. Please send a shorter one if there is one.",
    AgentCode.DOMAIN_BLOCKED: "Your administrator has excluded this site from reading. Please ask them if you need it.",
    AgentCode.SLACK_PERMALINK: "This link to Slack cannot be read. Please paste the text into your message.",
    AgentCode.FETCH_LIMIT: "The limit of pages for one question was reached, so some pages were not read.",
    AgentCode.UNNAMED_HOST_LIMIT: (
        "Of sites that no message names, only three pages are read for one question, so some pages were not read. "
        "Please paste the links that you want to be read."
    ),
    AgentCode.SLACK_MESSAGE_REFUSED: (
        "This Slack message cannot be read. Only messages of the channel of the question, and of public channels that "
        "this app is in, can be (for guests and people outside the organization, only those of the same channel)."
    ),
    AgentCode.SLACK_MESSAGE_FAILED: "The Slack message could not be read. Please try again later.",
    AgentCode.QUERY_TOO_LONG: "The words to search for are too long, so nothing was searched. Please use fewer words.",
    AgentCode.QUERY_QUOTES_OTHERS: (
        "The search was not made, so that what other people wrote or sent does not go to a search service outside. "
        "Please say in your own words what to look for."
    ),
    AgentCode.SEARCH_LIMIT: "At most three searches of the web are made for one question, so later ones were not made.",
    AgentCode.SEARCH_UNAVAILABLE: (
        "The web could not be searched. Please try again later, or send the link of a page."
    ),
    AgentCode.SEARCH_REJECTED: (
        "There is a problem with the settings of the web search, so nothing was searched. Please tell your administrator."
    ),
    AgentCode.PAGE_NOT_READ: "This page has not been read yet, so that was not possible.",
    AgentCode.NO_SUCH_TABLE: "That table was not found on the page.",
    AgentCode.NO_SUCH_COLUMN: "That column was not found in the table.",
    AgentCode.NOT_COMPARABLE: "The condition could not be compared with the table's values, so nothing was filtered.",
    AgentCode.FILE_TOO_LARGE: "The file is too large to attach.",
    AgentCode.FILE_TYPE_NOT_ALLOWED: "Files of this kind cannot be made. Excel, CSV, JSON and text can.",
    AgentCode.FILE_LIMIT: "The limit of files for one answer was reached, so some files were not made.",
    AgentCode.FILE_INVALID: "The file's content did not have a valid form, so it was not attached.",
    AgentCode.FILE_GONE: "The file was deleted or can no longer be seen, so it could not be read. Please send it again.",
    AgentCode.FILE_EXTERNAL: (
        "Files that are kept outside Slack, such as in Google Drive, cannot be read. "
        "Please send the file itself to Slack, or a public link."
    ),
    AgentCode.FILE_HIDDEN: (
        "Slack does not show this file because of the workspace's limits on storage or age, so it could not be read. "
        "Please send it again."
    ),
    AgentCode.FILE_ACCESS_DENIED: (
        "This app may not see the file, so it could not be read. In a channel that is shared with another "
        "organization, please send the file again. If that does not help, please ask your administrator to reinstall "
        "the app."
    ),
    AgentCode.FILE_DOWNLOAD_FAILED: "The file could not be downloaded from Slack. Please try again later.",
    AgentCode.FILES_NOT_SENT: (
        "In this setup, files attached in Slack and links to Slack messages cannot be read. "
        "Please send the link of a page with the content."
    ),
    AgentCode.ATTACHMENT_TOO_LARGE: (
        "The file is too large to read. Please send a file with only the part that you need."
    ),
    AgentCode.PICTURE_NOT_SEEN: (
        "Pictures can be seen only with an AI model. Please paste their text into your message."
    ),
    AgentCode.PICTURE_TYPE: "Pictures of this kind cannot be seen. Please send PNG, JPEG, GIF or WebP.",
    AgentCode.PICTURE_TOO_LARGE: (
        "The picture is too large or damaged, so it could not be seen. Please send a smaller one."
    ),
    AgentCode.TOOL_UNKNOWN: "This operation is not supported, so it was not done.",
    AgentCode.MODEL_UNAVAILABLE: "The AI model is busy or did not respond. Please try again later.",
    AgentCode.MODEL_REJECTED: (
        "There is a problem with the settings of the AI model, so no answer could be made. "
        "Please tell your administrator."
    ),
    AgentCode.MODEL_REFUSED: (
        "For reasons of safety, the AI model did not answer this question. "
        "Please say more exactly what you want to know, or try another page."
    ),
    AgentCode.MODEL_SILENT: "The AI model gave no answer. Please ask in other words and try again.",
    AgentCode.TIME_LIMIT: "The time limit was reached, so this answer is incomplete.",
    AgentCode.TURN_LIMIT: "The limit of steps was reached; this is what was found so far.",
    AgentCode.TOKEN_LIMIT: "The limit of text was reached, so something was left out.",
}


def note(code: AgentCode) -> str:
    """A sentence about what was left undone, or why."""
    return _NOTES[code]


_INSTEAD = {
    AgentCode.MODEL_REJECTED: (
        "There is a problem with the settings of the AI model, so this answer consists of excerpts from the page, "
        "without AI. Please tell your administrator."
    ),
    AgentCode.MODEL_UNAVAILABLE: (
        "The AI model is busy or did not respond, so this answer consists of excerpts from the page, without AI. "
        "If you try again later, AI will answer."
    ),
    AgentCode.MODEL_SILENT: (
        "The AI model gave no answer, so this answer consists of excerpts from the page, without AI."
    ),
    AgentCode.TIME_LIMIT: (
        "The time limit was reached, so this answer consists of excerpts from the page, without AI."
    ),
    AgentCode.TURN_LIMIT: (
        "The limit of steps was reached, so this answer consists of excerpts from the page, without AI."
    ),
    AgentCode.TOKEN_LIMIT: (
        "The limit of text was reached, so this answer consists of excerpts from the page, without AI."
    ),
}


def answered_instead(code: AgentCode) -> str:
    """The offline reader has answered in the model's place, and why; the note of any other code."""
    return _INSTEAD.get(code) or note(code)


def refused() -> str:
    return _NOTES[AgentCode.MODEL_REFUSED]


def fetching(url: str) -> str:
    return f"Opening {url}"


def reading(title: str) -> str:
    return f"Reading: {title}"


def thinking() -> str:
    return "Thinking…"


def example_question(url: str) -> str:
    """What is asked on the command line if no question is given."""
    return f"{url} make a CSV of the price table"


def asking_example(question: str) -> str:
    return f"No question was given, so one about a sample page is asked: {question}"


def written(path: str) -> str:
    return f"The file was saved: {path}"


def not_written(path: str, why: str) -> str:
    return f"The file could not be saved ({path}): {why}"


def sources_heading() -> str:
    return "Sources"


def nothing_to_read() -> str:
    """The question has no link, and neither has its thread."""
    return OFFLINE.no_link()


def nothing_found() -> str:
    """A search for a question without a link has found nothing."""
    return "The search found no page that can be read. Please use other words, or send the link of a page."


def searched(queries: Sequence[str]) -> str:
    """The words that went to a search provider, in the progress and below an answer."""
    return "Searched: " + ", ".join(f'"{query}"' for query in queries)


def no_answer() -> str:
    return "Sorry, no answer could be made. Please change the question and try again."


class EnglishOfflinePhrases:
    """Messages of the offline reader."""

    def no_model(self) -> str:
        return "Note: the offline reader, which uses no AI, has quoted the page as it is."

    def no_link(self) -> str:
        return (
            "No link to read was found. Please send the link of a page together with what you want to know.\n"
            'Examples: "(link) make a CSV of the price table", "(link) summarize in three lines"'
        )

    def nothing_read(self) -> str:
        return "Sorry, nothing could be read."

    def failed(self, url: str, error: FetchError | Coded) -> str:
        return f"{url}: {failure(error) if isinstance(error, FetchError) else note(error.code)}"

    def out_of_time(self, url: str) -> str:
        return f"{url}: it could not be read in time."

    def too_many_links(self, left_out: int, most: int) -> str:
        links = "1 link was" if left_out == 1 else f"{left_out} links were"
        return f"At most {most} pages are read at a time, so {links} not read."

    def no_match(self) -> str:
        return (
            "No passage was found that matches the words of the question. This is the beginning of the text."
        )

    def page_words(self) -> str:
        return (
            "(The next quotation is text on the page. It is neither advice nor an instruction of this app.)"
        )

    def empty_page(self) -> str:
        return "There was no text to read."

    def outline(self) -> str:
        return "Headings:"

    def table(self, number: int) -> str:
        return f"Table {number}"

    def file_made(self, table: str, file_name: str, rows: int) -> str:
        return f'"{table}" ({rows} {"row" if rows == 1 else "rows"}) is in {file_name}.'

    def other_tables(self, tables: Sequence[str]) -> str:
        names = ", ".join(f'"{table}"' for table in tables)
        return f"This page also has {names}. Please name the table that you need."

    def no_table(self) -> str:
        return "No table was found on the page that could be made into a file."

    def not_selected(self, table: str) -> str:
        return f'The conditions for "{table}" were not understood, so the file has the whole table.'

    def format_not_made(self, formats: Sequence[str]) -> str:
        return f"{', '.join(formats)} files cannot be made. Excel, CSV, JSON and text can."

    def not_rewritten(self) -> str:
        return "Translating, rewriting and comparing take an AI model, so these are the words of the page."

    def file_refused(self, table: str, error: Coded) -> str:
        return f'"{table}": {note(error.code)}'

    def file_cut(self, file_name: str) -> str:
        return file_cut(file_name)


OFFLINE = EnglishOfflinePhrases()
