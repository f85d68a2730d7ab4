"""A server for the sample pages."""

from http import HTTPStatus

from fetcher.loopback import LocalHandler, LocalServer
from fetcher.sample.sample_pages import PAGES, SLOW_SECONDS


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
            headers = {"Content-Type": page.content_type}
            if page.is_slow:
                self.pause(SLOW_SECONDS)
                headers["Cache-Control"] = "no-store"  # the next reader waits too
            self.reply(HTTPStatus.OK, headers, page.body())

    do_HEAD = do_GET  # noqa: N815  # the base class has it so
