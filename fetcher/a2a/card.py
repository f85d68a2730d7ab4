"""The agent's card and its messages to callers: the Japanese of this package."""

from typing import Any

from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    APIKeySecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)

from fetcher.a2a.settings import Authentication

NAME = "SlackAI-WebFetchAgent"
VERSION = "1.0.0"
API_KEY_HEADER = "X-API-Key"
TEXT = ["text", "text/plain"]
"""The document's word for it, and the protocol's."""


def agent_card(url: str, authentication: Authentication, file_types: tuple[str, ...]) -> AgentCard:
    """The protocol's card: both versions on one address."""
    output = list(dict.fromkeys([*TEXT, "application/json", *file_types]))
    card = AgentCard(
        name=NAME,
        description=(
            "指定URLのWebコンテンツをテキストとして取得する専用エージェント。"
            "ページを読んで質問に出典付きで答え、表をCSVやJSONのファイルにして返す。"
        ),
        version=VERSION,
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version=version)
            for version in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False, extended_agent_card=False),
        default_input_modes=TEXT,
        default_output_modes=output,
        skills=[
            AgentSkill(
                id="fetch_url",
                name="Fetch URL",
                description="指定URLのWebコンテンツをテキストとして取得する。SSRFセキュリティ対策済み。",
                tags=["web", "fetch"],
                examples=["https://example.com/price の料金表をCSVにして"],
                input_modes=TEXT,
                output_modes=output,
            )
        ],
    )
    if authentication == "api_key":
        scheme = APIKeySecurityScheme(location="header", name=API_KEY_HEADER)
        card.security_schemes["apiKey"].CopyFrom(SecurityScheme(api_key_security_scheme=scheme))
        card.security_requirements.append(SecurityRequirement(schemes={"apiKey": StringList()}))
    return card


def card_body(card: AgentCard, authentication: Authentication) -> dict[str, Any]:
    """The card as it is served: the protocol's fields, those of 0.3, and the document's."""
    body = agent_card_to_dict(card)
    body |= {"protocol": "A2A", "protocolVersion": "1.0"}
    body["capabilities"] |= {"asyncProcessing": True, "attachments": True}
    if authentication == "sigv4":
        body["authentication"] = {"type": "SIGV4", "service": "bedrock-agentcore"}
    return body


def busy() -> str:
    return "ただいま混み合っているため、お受けできませんでした。少し時間をおいてもう一度お試しください。"


def invalid_params() -> str:
    return "リクエストの内容に誤りがあるため、処理できませんでした。"


def failed() -> str:
    return "内部エラーが発生しました。しばらくしてからもう一度お試しください。"


def stopping() -> str:
    return "サーバーの停止に伴い、処理を中断しました。しばらくしてからもう一度お試しください。"


def still_working() -> str:
    return "前のご質問に回答中のため、お受けできませんでした。続きは新しいタスクとしてお送りください。"


def text_only() -> str:
    return "テキスト以外の入力には対応していません。"


def unreadable() -> str:
    return "リクエストを読み取れませんでした。UTF-8のJSONでお送りください。"


def no_call() -> str:
    return "リクエストがJSON-RPC 2.0の形式ではないため、処理できませんでした。"


def unknown_method() -> str:
    return "指定されたメソッドには対応していません。"


def too_large(most_bytes: int) -> str:
    return f"リクエストが大きすぎるため、お受けできませんでした。{most_bytes}バイト以内でお送りください。"


def json_only() -> str:
    return "リクエストの形式に対応していません。application/jsonでお送りください。"


def key_needed() -> str:
    return f"アクセスが許可されていません。有効なキーをヘッダー「{API_KEY_HEADER}」に付けてお送りください。"


def this_machine_only() -> str:
    return "このサーバーには、同じコンピューターの名前（localhostなど）でのみ接続できます。"
