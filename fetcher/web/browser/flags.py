"""The command line that Chromium is started with."""

import os
from pathlib import Path

NO_NETWORK = (
    # Every native connection, to a name or an address, fails before it is tried; an EXCLUDE would reopen it.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # WebRTC does not ask the resolver: it may only use a proxy, and there is none. Either alone is ignored.
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
    "WebRtcHideLocalIpsWithMdns",  # names in .local are asked for by multicast, past the resolver's rules
)
"""What would ask the network of its own accord, or show another document than the one asked for."""

ISOLATION = (
    "--incognito",  # storage in memory, where the memory limit holds for it
    "--block-new-web-contents",
    "--disable-extensions",
    "--disable-default-apps",
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--use-mock-keychain",
)

THRIFT = (
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
        *THRIFT,
        *(() if sandbox else NO_SANDBOX),
        "about:blank",
    ]


def environment(profile: Path) -> dict[str, str]:
    """All that Chromium learns of ours: where it may write, and a PATH for a distribution's script."""
    return {"HOME": str(profile), "TMPDIR": str(profile), "PATH": "/usr/bin:/bin"}


def is_root() -> bool:
    """Chromium has no sandbox for root and refuses to start with one."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
