"""From a URL to bytes: addresses, guard, robots.txt, redirects, transport. Read `hops.py` first."""
