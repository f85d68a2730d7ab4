"""The pages of the sample web."""

from dataclasses import dataclass
from importlib.resources import files

METADATA = "http://169.254.169.254/latest/meta-data/"
"""An address that a page must never lead the fetcher to."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHIFT_JIS = "text/html; charset=Shift_JIS"
SLOW_SECONDS = 8.0
"""How long a slow page lets its reader wait: long enough to press Stop, and within the engine's limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePage:
    """A page or document and its address; text is stored in UTF-8 and sent in `charset`.

    Links between pages of a site are relative, so that they also work in the playground's copies.
    """

    host: str
    path: str = "/"
    about: str = ""
    """What can be seen with it, in a few words; empty for what only other pages need."""
    file: str = ""
    content_type: str = "text/html; charset=utf-8"
    charset: str = "utf-8"
    location: str = ""
    """Where it redirects to, if it does."""
    is_slow: bool = False

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"

    def body(self) -> bytes:
        if not self.file:
            return b""
        content = files("fetcher.sample").joinpath("pages", self.file).read_bytes()
        return content if self.charset == "utf-8" else content.decode().encode(self.charset)


PAGES = (
    SamplePage(
        host="shop.sample", path="/price", file="shop.html", about="a price table that becomes a file"
    ),
    SamplePage(host="shop.sample", file="shop_home.html", about="the root of a site, with links to follow"),
    SamplePage(host="shop.sample", path="/guide", file="shop_guide.html", about="what the prices leave out"),
    SamplePage(host="shop.sample", path="/news", file="shop_news.html", about="news of the shop"),
    SamplePage(host="beans.sample", file="beans_home.html", about="a second coffee shop"),
    SamplePage(host="beans.sample", path="/teiki", file="beans_plans.html", about="its prices, to compare"),
    SamplePage(host="kissa.sample", file="kissa.html", about="a third one, with prices in sentences"),
    SamplePage(
        host="news.sample",
        path="/articles/tram",
        file="news.html",
        about="an article among menus and adverts",
    ),
    SamplePage(host="news.sample", file="news_home.html", about="the front page, with links to follow"),
    SamplePage(host="news.sample", path="/articles/bus", file="news_bus.html", about="a related article"),
    SamplePage(host="news.sample", path="/articles/bike", file="news_bike.html", about="a related article"),
    SamplePage(
        host="old.sample",
        path="/annai.html",
        file="old.html",
        content_type=SHIFT_JIS,
        charset="cp932",
        about="opening hours in Shift_JIS",
    ),
    SamplePage(
        host="old.sample",
        file="old_home.html",
        content_type=SHIFT_JIS,
        charset="cp932",
        about="its front page, with a link to follow",
    ),
    SamplePage(host="forum.sample", path="/thread/42", file="forum.html", about="an answer in a thread"),
    SamplePage(host="forum.sample", file="forum_home.html", about="the list of threads"),
    SamplePage(host="forum.sample", path="/thread/57", file="forum_coffee.html", about="opinions to compare"),
    SamplePage(host="app.sample", file="app.html", about="a page that only scripts fill; needs Chromium"),
    SamplePage(host="app.sample", path="/menu.json", file="menu.json", content_type="application/json"),
    SamplePage(host="visit.sample", file="visit.html", about="a page in English"),
    SamplePage(
        host="slow.sample",
        file="slow.html",
        is_slow=True,
        about=f"waits {SLOW_SECONDS:.0f} seconds; try Stop",
    ),
    SamplePage(host="trap.sample", file="trap.html", about="instructions to an AI, which are not followed"),
    SamplePage(
        host="moved.sample", location=METADATA, about="a redirect to an internal address, which is refused"
    ),
    SamplePage(
        host="closed.sample", path="/robots.txt", file="closed.txt", content_type="text/plain; charset=utf-8"
    ),
    SamplePage(
        host="closed.sample",
        path="/diary",
        file="closed_diary.html",
        about="closed by robots.txt, so not read",
    ),
    SamplePage(host="closed.sample", file="closed_home.html", about="the open page of the same site"),
    SamplePage(
        host="ir.sample",
        path="/kessan.pdf",
        file="kessan.pdf",
        content_type="application/pdf",
        about="a PDF with a table",
    ),
    SamplePage(host="ir.sample", file="ir_home.html", about="links to the documents"),
    SamplePage(
        host="ir.sample",
        path="/uriage.xlsx",
        file="uriage.xlsx",
        content_type=XLSX,
        about="a workbook with three sheets",
    ),
    SamplePage(
        host="ir.sample", path="/tenken.docx", file="tenken.docx", content_type=DOCX, about="a Word file"
    ),
    # As many servers of Japanese offices send it: in Shift_JIS, and without saying so.
    SamplePage(
        host="city.sample",
        path="/kisyo.csv",
        file="kisyo.csv",
        content_type="text/csv",
        charset="cp932",
        about="a CSV whose server does not name its encoding",
    ),
    SamplePage(host="city.sample", file="city_home.html", about="links to the data and the news"),
    SamplePage(
        host="city.sample",
        path="/news.xml",
        file="news.xml",
        content_type="application/rss+xml",
        about="a feed with links to follow",
    ),
    SamplePage(
        host="city.sample",
        path="/news/library",
        file="city_library.html",
        about="the news that the feed names",
    ),
)
URL = PAGES[0].url
"""The page that examples use."""
