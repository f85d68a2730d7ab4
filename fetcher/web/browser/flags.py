"""The command line that Chromium is started with."""

import os
from pathlib import Path

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
    return hasattr(os, "geteuid") and os.geteuid() == 0
