"""The test web of the soak: pages and documents of every temper, and the way to them from a worker."""

import socket
from collections import Counter
from collections.abc import AsyncGenerator
from ipaddress import ip_address

import httpcore2

from fetcher.sample.sample_pages import PAGES
from fetcher.web.net.network import Connection, SystemDialer
from fetcher.web.values import IPAddress
from tests.fakes import misbehaviour
from tests.fakes.answers import Request, Script, answer, redirect
from tests.fakes.network import LOOPBACK
from tests.fakes.web import FakeWeb
from tests.soak.questions import HOST

ADDRESS = ip_address("93.184.216.34")
PARAGRAPHS = "".join(
    f"<p>{number}. 港町の焙煎所では、毎朝六時に豆を煎り始めます。一袋二百グラムです。"
    f"価格は{number + 1},200円です。送料は無料です。返品は到着から八日以内に承ります。</p>"
    for number in range(12)
)
ROWS = "".join(
    f"<tr><td>プラン{number}</td><td>{number * 500 + 700}円</td><td>=1+{number}</td></tr>"
    for number in range(1, 30)
)
ARTICLE = f"<html lang=ja><title>港町の焙煎所</title><article><h1>豆の話</h1>{PARAGRAPHS}</article></html>"
TABLE = (
    f"<html lang=ja><title>料金表</title><article><h1>料金</h1>{PARAGRAPHS}<table><caption>q%s</caption>"
    f"<tr><th>プラン</th><th>料金</th><th>備考</th></tr>{ROWS}</table></article></html>"
)
DOCUMENTS = {page.file: page.body() for page in PAGES if page.file.endswith((".pdf", ".xlsx", ".docx"))}


def table(request: Request) -> AsyncGenerator[bytes, None]:
    """A table named after the question, as its file will be, whoever exports it."""
    return answer(TABLE % request.target.rpartition("=")[2])(request)


GOOD: dict[str, Script] = {
    "article": answer(ARTICLE),
    "table": table,
    "moved": redirect("/article"),
    "report": answer(DOCUMENTS["kessan.pdf"], headers={"content-type": "application/pdf"}),
    "workbook": answer(DOCUMENTS["uriage.xlsx"], headers={"content-type": "application/octet-stream"}),
}


def bad() -> dict[str, Script]:
    """Made where they are served: it takes a while."""
    return {
        "slow": misbehaviour.slow_drip(ARTICLE, 0.2, size=1000),
        "stalls": misbehaviour.stall(),
        "brotli_bomb": misbehaviour.brotli_bomb(),
        "gzip_bomb": misbehaviour.gzip_bomb(128 << 20),
        "endless": misbehaviour.endless_body(0.01),
        "resets": misbehaviour.reset_before_answer(),
        "cut_short": misbehaviour.truncated_chunked(ARTICLE),
        "garbage": misbehaviour.garbage(),
        "missing": answer("missing", status=404),
        "broken": answer("broken", status=500),
    }


class SoakWeb(FakeWeb):
    """The pages, and how often each of the bad ones was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: Counter[str] = Counter()
        for name, script in GOOD.items():
            self.route(f"http://{HOST}/{name}", script)
        for name, script in bad().items():
            self.route(f"http://{HOST}/{name}", self._counted(name, script))

    def forget(self) -> None:
        """Lets go of what a test would look at."""
        self._requests.clear()

    def _counted(self, name: str, script: Script) -> Script:
        async def counted(request: Request) -> AsyncGenerator[bytes, None]:
            self.faults[f"web: {name}"] += 1
            async for piece in script(request):
                yield piece

        return counted


class SoakNetwork:
    """A resolver and a dialer that know the test web and nothing else."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._local = SystemDialer()

    async def resolve(self, host: str) -> list[IPAddress]:
        if host != HOST:
            raise socket.gaierror(socket.EAI_NONAME, "only the test web is known here")
        return [ADDRESS]

    async def dial(self, address: IPAddress, port: int) -> Connection:
        if address != ADDRESS:
            raise httpcore2.ConnectError("only the test web is reachable here")
        return await self._local.dial(ip_address(LOOPBACK), self._port)
