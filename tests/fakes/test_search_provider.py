"""The fake search providers refuse what the documentation does not allow."""

import httpx2
import pytest

from tests.fakes.search_provider import KEY, FakeSearchProvider

BRAVE = {"X-Subscription-Token": KEY}
TAVILY = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module")
def server():
    with FakeSearchProvider() as running:
        running.pages.append(("https://a.example/", "題", "説明"))
        yield running


@pytest.mark.parametrize(
    ("fields", "headers", "status"),
    [
        ({"q": "豆", "count": 5, "search_lang": "jp", "country": "JP"}, BRAVE, 200),
        ({"q": "豆"}, {}, 422),
        ({"q": ""}, BRAVE, 422),
        ({"q": "x" * 401}, BRAVE, 422),
        ({"q": "豆", "count": 21}, BRAVE, 422),
        ({"q": "豆", "search_lang": "ja"}, BRAVE, 422),
        ({"q": "豆", "country": "Japan"}, BRAVE, 422),
        ({"q": "豆", "operators": "no"}, BRAVE, 422),
        ({"q": "豆", "language": "ja"}, BRAVE, 422),
    ],
)
def test_brave(server, fields, headers, status):
    reply = httpx2.get(f"{server.url}/res/v1/web/search", params=fields, headers=headers)
    assert reply.status_code == status
    assert reply.json()["type"] == ("search" if status == 200 else "ErrorResponse")


@pytest.mark.parametrize(
    ("fields", "headers", "status"),
    [
        ({"query": "豆", "max_results": 5, "country": "japan", "topic": "general"}, TAVILY, 200),
        ({"query": "豆"}, {}, 401),
        ({"query": ""}, TAVILY, 400),
        ({"query": "豆", "max_results": 21}, TAVILY, 400),
        ({"query": "豆", "search_depth": "deep"}, TAVILY, 400),
        ({"query": "豆", "country": "JP"}, TAVILY, 400),
        ({"query": "豆", "country": "japan", "topic": "news"}, TAVILY, 400),
        ({"query": "豆", "api_key": KEY}, TAVILY, 400),
    ],
)
def test_tavily(server, fields, headers, status):
    reply = httpx2.post(f"{server.url}/search", json=fields, headers=headers)
    assert reply.status_code == status
    assert ("results" in reply.json()) == (status == 200)
