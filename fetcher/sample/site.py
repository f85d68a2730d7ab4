"""The sample pages, and a server for them."""

from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files

from fetcher.loopback import LocalHandler, LocalServer

METADATA = "http://169.254.169.254/latest/meta-data/"
"""An address that a page must never lead the fetcher to."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePage:
    """A page or document and its address; text is stored in UTF-8 and sent in `charset`."""

    host: str
    path: str
    file: str = ""
    content_type: str = "text/html; charset=utf-8"
    charset: str = "utf-8"
    location: str = ""
    """Where it redirects to, if it does."""

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"

    def body(self) -> bytes:
        if not self.file:
            return b""
        content = files("fetcher.sample").joinpath("pages", self.file).read_bytes()
        return content if self.charset == "utf-8" else content.decode().encode(self.charset)


PAGES = (
    SamplePage(host="shop.sample", path="/price", file="shop.html"),
    SamplePage(host="news.sample", path="/articles/tram", file="news.html"),
    SamplePage(
        host="old.sample",
        path="/annai.html",
        file="old.html",
        content_type="text/html; charset=Shift_JIS",
        charset="cp932",
    ),
    SamplePage(host="forum.sample", path="/thread/42", file="forum.html"),
    SamplePage(host="app.sample", path="/", file="app.html"),
    SamplePage(host="app.sample", path="/menu.json", file="menu.json", content_type="application/json"),
    SamplePage(host="trap.sample", path="/", file="trap.html"),
    SamplePage(host="moved.sample", path="/", location=METADATA),
    SamplePage(
        host="closed.sample", path="/robots.txt", file="closed.txt", content_type="text/plain; charset=utf-8"
    ),
    SamplePage(host="closed.sample", path="/diary", file="news.html"),
    SamplePage(host="ir.sample", path="/kessan.pdf", file="kessan.pdf", content_type="application/pdf"),
    SamplePage(host="ir.sample", path="/uriage.xlsx", file="uriage.xlsx", content_type=XLSX),
    SamplePage(host="ir.sample", path="/tenken.docx", file="tenken.docx", content_type=DOCX),
    # As many servers of Japanese offices send it: in Shift_JIS, and without saying so.
    SamplePage(
        host="city.sample", path="/kisyo.csv", file="kisyo.csv", content_type="text/csv", charset="cp932"
    ),
    SamplePage(host="city.sample", path="/news.xml", file="news.xml", content_type="application/rss+xml"),
)
URL = PAGES[0].url


class SampleSite(LocalServer):
    """Serves the pages on loopback until it is closed."""

    def __init__(self) -> None:
        super().__init__(_Handler, name="sample-site")


class _Handler(LocalHandler):
    def do_GET(self) -> None:  # noqa: N802  # the base class has it so
        wanted = (self.headers.get("Host", "").partition(":")[0], self.path.partition("?")[0])
        page = next((page for page in PAGES if (page.host, page.path) == wanted), None)
        if page is None:
            self.reply(HTTPStatus.NOT_FOUND, {"Content-Type": "text/plain"}, b"")
        elif page.location:
            self.reply(HTTPStatus.FOUND, {"Location": page.location}, b"")
        else:
            self.reply(HTTPStatus.OK, {"Content-Type": page.content_type}, page.body())

    do_HEAD = do_GET  # noqa: N815  # the base class has it so
