"""A small web that needs no internet, served on loopback and fetched with the guard fully on.

Its names, such as `shop.sample`, resolve to public addresses, and the sample network connects exactly those
addresses to the local server: the engine runs as it does on the real web. Other names and addresses go to the
resolver and the dialer that the caller gives, if any.
"""

from fetcher.sample.network import SampleNetwork, open_pipeline
from fetcher.sample.sample_pages import PAGES, URL, SamplePage
from fetcher.sample.site import SampleSite

__all__ = ["PAGES", "URL", "SampleNetwork", "SamplePage", "SampleSite", "open_pipeline"]
