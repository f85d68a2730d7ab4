"""One error of each code, as the engine raises it."""

from fetcher.codes import ErrorCode
from fetcher.web import errors

SAMPLES: dict[ErrorCode, errors.FetchError] = {
    error.code: error
    for error in (
        errors.BadArguments("must be given", field="url"),
        errors.InvalidUrl("The URL is malformed", url="http://["),
        errors.InvalidScheme(scheme="ftp"),
        errors.InvalidHost("IPv4 addresses must be written in dotted decimals", host="0x7f.1"),
        errors.PortBlocked(port=22, allowed_ports=[80, 443]),
        errors.SsrfBlocked("blocked", blocked_ip="10.0.0.5", cidr="10.0.0.0/8", toggle="block_private_ips"),
        errors.DnsFailed(host="a.example", error="not known"),
        errors.RobotsDisallowed(path="/x", origin="http://a.example"),
        errors.RobotsUnavailable(origin="http://a.example", error="timeout"),
        errors.RedirectLimit(count=6, max=5),
        errors.Timeout(timeout_ms=20_000, phase="body"),
        errors.NetworkFailed("The connection failed", error="ConnectError"),
        errors.ResponseTooLarge(size=6_000_000, max_bytes=5_242_880),
        errors.UnsupportedContentType(content_type="image/png"),
        errors.HttpClientError(status=418, status_text="I am a teapot"),
        errors.HttpServerError(status=503, status_text="Service Unavailable"),
        errors.BrowserUnavailable(chromium_path="", error="not found"),
        errors.BrowserCrashed(error="exit status 139"),
        errors.ExtractionFailed(error="too deep"),
        errors.CacheReadFailed(path="ab/abcd.json", error="Permission denied"),
        errors.InternalError("Something unexpected went wrong", error="KeyError"),
    )
}
