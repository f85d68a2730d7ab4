"""A small web that needs no internet, served on loopback and fetched with the guard fully on.

Its names, such as `shop.sample`, resolve to public addresses, and a dialer of our own carries exactly
those addresses to the local server: the engine runs as it does against the real web. Other names and
addresses go to the system's own resolver and dialer, where the caller allows that.
"""

from fetcher.sample.network import SampleNetwork
from fetcher.sample.site import PAGES, URL, SamplePage, SampleSite

__all__ = ["PAGES", "URL", "SampleNetwork", "SamplePage", "SampleSite"]
