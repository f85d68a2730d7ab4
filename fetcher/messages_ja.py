"""What the engine says to people, in Japanese: one function a message."""

from fetcher.codes import ErrorCode
from fetcher.web.errors import FetchError, HttpStatusError, UnsupportedContentType

MORE = "... [以下省略]"
"""Stands at the end of a text that was cut."""

_LOGIN = frozenset({401, 403})

_SENTENCES = {
    ErrorCode.BAD_ARGS: "リクエストの内容に誤りがあるため、ページを取得できませんでした。URLをご確認ください。",
    ErrorCode.INVALID_URL: "URLの形式が正しくないようです。リンクをご確認のうえ、もう一度お試しください。",
    ErrorCode.INVALID_SCHEME: "URLスキームエラー：http:// または https:// で始まるURLのみ取得できます。",
    ErrorCode.INVALID_HOST: "URLのホスト名が正しくありません。リンクをご確認ください。",
    ErrorCode.PORT_BLOCKED: "このURLのポートへの接続は許可されていません。",
    ErrorCode.SSRF_BLOCKED: "プライベートIPアクセス拒否：社内ネットワークなど、公開されていないアドレスには接続できません。",
    ErrorCode.DNS_FAILED: "サイトが見つかりませんでした。URLのドメイン名をご確認ください。",
    ErrorCode.ROBOTS_DISALLOWED: "このサイトは自動での読み取りを許可していないため（robots.txt）、取得しませんでした。",
    ErrorCode.ROBOTS_UNAVAILABLE: (
        "サイトの読み取りルール（robots.txt）を確認できなかったため、取得を見合わせました。"
        "しばらくしてからもう一度お試しください。"
    ),
    ErrorCode.REDIRECT_LIMIT: "リダイレクトが多すぎるため、ページにたどり着けませんでした。",
    ErrorCode.TIMEOUT: "タイムアウト：時間内にページを取得できませんでした。しばらくしてからもう一度お試しください。",
    ErrorCode.NETWORK: "ネットワークエラー：サイトに接続できませんでした。しばらくしてからもう一度お試しください。",
    ErrorCode.RESPONSE_TOO_LARGE: "ページのサイズが大きすぎるため、取得できませんでした。",
    ErrorCode.UNSUPPORTED_CONTENT_TYPE: "この形式のファイルは読み取れません。Webページのリンクをお送りください。",
    ErrorCode.BROWSER_UNAVAILABLE: (
        "このページの表示にはブラウザが必要ですが、この環境では利用できません。管理者にご相談ください。"
    ),
    ErrorCode.BROWSER_CRASHED: "ブラウザでの表示に失敗しました。しばらくしてからもう一度お試しください。",
    ErrorCode.EXTRACTION_FAILED: "ページの内容を読み取れませんでした。別のページをお試しください。",
    ErrorCode.CACHE_READ_FAILED: "保存済みのページを読み込めませんでした。しばらくしてからもう一度お試しください。",
    ErrorCode.INTERNAL: "内部エラーが発生しました。しばらくしてからもう一度お試しください。",
}


def failure(error: FetchError) -> str:
    """One sentence or two for a person: what happened, and what to do."""
    if isinstance(error, HttpStatusError):
        return _http_status(error)
    if isinstance(error, UnsupportedContentType) and error.details["content_type"] == "application/pdf":
        return pdf()
    return _SENTENCES[error.code]


def pdf() -> str:
    return "PDFファイルの読み取りには対応していません。Webページのリンクをお送りください。"


def slack_permalink() -> str:
    return "Slackのメッセージへのリンクは読み取れません。内容を本文に貼り付けてお送りください。"


def _http_status(error: HttpStatusError) -> str:
    if error.status in _LOGIN:
        return (
            f"このページの閲覧にはログインや権限が必要なため、取得できませんでした（HTTP {error.status}）。"
        )
    if error.status == 404:
        return "ページが見つかりませんでした（HTTP 404）。URLをご確認ください。"
    if wait := error.details.get("retry_after"):
        return (
            f"HTTPエラー：サイトが混み合っています（{error.status}）。{wait}秒ほど待ってからお試しください。"
        )
    if error.retryable:
        return (
            f"HTTPエラー：サイトでエラーが発生しています（{error.status}）。しばらくしてからお試しください。"
        )
    return f"HTTPエラー：ページを取得できませんでした（{error.status}）。URLをご確認ください。"
