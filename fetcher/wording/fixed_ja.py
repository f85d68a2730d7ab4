"""Japanese that is the same for everyone: words that documents demand, and words in the text of pages."""

from fetcher.codes import AgentCode, ErrorCode
from fetcher.web.errors import FetchError, RobotsUnavailable
from fetcher.wording import messages
from fetcher.wording.language import Language, speaking
from fetcher.wording.messages import Coded, OfflinePhrases

MORE = "... [以下省略]"
"""The end of a text that was cut."""

_LABELS: dict[str, str] = {
    ErrorCode.INVALID_SCHEME: "URLスキームエラー",
    ErrorCode.SSRF_BLOCKED: "プライベートIPアクセス拒否",
    ErrorCode.TIMEOUT: "タイムアウト",
    ErrorCode.HTTP_4XX: "HTTPエラー",
    ErrorCode.HTTP_5XX: "HTTPエラー",
    ErrorCode.NETWORK: "ネットワークエラー",
    ErrorCode.DNS_FAILED: "ネットワークエラー",
}
"""The words that the document on `fetch_url` demands for failures; only its own callers read them."""


def labelled_failure(error: FetchError) -> str:
    """The same after the document's word for it, where it has one: for callers of `fetch_url`."""
    # Where robots.txt could not be had, its own failure counts: an error's code, or a status.
    code = error.details.get("error", "") if isinstance(error, RobotsUnavailable) else error.code
    label = _LABELS["http_5xx"] if code.startswith("http_status_") else _LABELS.get(code)
    with speaking(Language.JAPANESE):
        sentence = messages.failure(error)
    return f"{label}：{sentence}" if label else sentence


def slack_permalink() -> str:
    """The same for a link to Slack."""
    with speaking(Language.JAPANESE):
        return messages.note(AgentCode.SLACK_PERMALINK)


class LabelledOfflinePhrases(OfflinePhrases):
    """The same for callers of `execute_task`: failures have the document's words."""

    def failed(self, url: str, error: FetchError | Coded) -> str:
        return (
            f"{url}：{labelled_failure(error)}"
            if isinstance(error, FetchError)
            else super().failed(url, error)
        )


LABELLED_OFFLINE = LabelledOfflinePhrases()


def rows_left_out(shown: int, rows: int) -> str:
    """Below a table of which only the first rows are shown."""
    return f"（全{rows:,}行のうち、先頭の{shown:,}行を表示しています。）"


def pages_left_out(read: int, pages: int) -> str:
    """Above a document of which only the first pages were read."""
    return f"（全{pages:,}ページのうち、先頭の{read:,}ページを読み取りました。）"


_DATES = {"CreationDate": "作成日", "ModDate": "更新日"}


def document_date(name: str, date: str) -> str:
    return f"{_DATES[name]}：{date}"


FEED_COLUMNS = ("日付", "タイトル", "URL")
"""The columns of a feed as a table."""
