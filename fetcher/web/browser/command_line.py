"""Which Chromium is started, and with which command line and environment."""

import os
import shutil
from pathlib import Path

from fetcher.web.errors import BrowserUnavailable

NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "headless_shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "Chromium",
    "Google Chrome",
)
"""In the order of preference: the shell starts in a quarter of the time and half the memory."""

DIRECTORIES = (
    "/usr/lib/chromium",
    "/usr/lib/chromium-browser",
    "/usr/lib64/chromium-browser",
    "/opt/chromium",
    "/opt/chrome-headless-shell",
    "/Applications/Chromium.app/Contents/MacOS",
    "/Applications/Google Chrome.app/Contents/MacOS",
)
"""Where packages install it outside of `PATH`; distributions put a script for it on `PATH`."""


NO_NETWORK = (
    # Every connection of Chromium's own, to a name or an address, fails at once; an EXCLUDE would reopen it.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # WebRTC does not use the resolver: it may only use a proxy, and there is none. One flag alone is ignored.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
)

UNUSED_FEATURES = (
    "AutofillServerCommunication",
    "BackForwardCache",
    "DialMediaRouteProvider",
    "HttpsUpgrades",
    "MediaRouter",
    "OptimizationHints",
    "Prerender2",
    "Translate",
    "WebRtcHideLocalIpsWithMdns",  # looks up names in .local by multicast, without the resolver's rules
)
"""Features that make requests by themselves, or show another document than the requested one."""

ISOLATION = (
    "--incognito",  # storage in memory, so that the memory limit covers it
    "--block-new-web-contents",
    "--disable-extensions",
    "--disable-default-apps",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
)

LIGHTWEIGHT = (
    "--disable-gpu",
    "--disable-dev-shm-usage",  # containers give it 64 MB
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disk-cache-size=1",
    "--hide-scrollbars",
    "--js-flags=--max-old-space-size=512",
    "--log-level=3",
    "--mute-audio",
    "--renderer-process-limit=4",
)

NO_SANDBOX = ("--no-sandbox", "--no-zygote")


def find(
    chromium_path: str, search_path: str | None = None, directories: tuple[str, ...] = DIRECTORIES
) -> str:
    """The path of the Chromium to start; raises `browser_unavailable`, which names the places searched."""
    if chromium_path:
        if not os.access(chromium_path, os.X_OK) or Path(chromium_path).is_dir():
            raise BrowserUnavailable(chromium_path=chromium_path, error="there is no program at this path")
        return _unwrapped(chromium_path, directories)
    for path in (search_path, os.pathsep.join(directories)):
        if found := next(filter(None, (shutil.which(name, path=path) for name in NAMES)), None):
            return _unwrapped(found, directories)
    error = (
        f"Chromium is not installed: looked for {', '.join(NAMES)} on PATH and in {', '.join(directories)}"
    )
    raise BrowserUnavailable(chromium_path="", error=error)


def _unwrapped(path: str, directories: tuple[str, ...]) -> str:
    """The program that a distribution's script starts, since the script would hide the process from us."""
    with Path(path).open("rb") as file:
        if file.read(2) != b"#!":
            return path
    return shutil.which(Path(path).name, path=os.pathsep.join(directories)) or path


def command(binary: str, profile: Path, *, sandbox: bool) -> list[str]:
    """The whole command line for one rendering."""
    return [
        binary,
        "--headless",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        f"--disable-features={','.join(UNUSED_FEATURES)}",
        *NO_NETWORK,
        *ISOLATION,
        *LIGHTWEIGHT,
        *(() if sandbox else NO_SANDBOX),
        "about:blank",
    ]


def environment(profile: Path) -> dict[str, str]:
    """The whole environment of Chromium: where it may write, and a PATH for a distribution's script."""
    return {"HOME": str(profile), "TMPDIR": str(profile), "PATH": "/usr/bin:/bin"}


def is_root() -> bool:
    """Chromium has no sandbox for root and refuses to start with one."""
    return os.geteuid() == 0
