"""Pages that only a browser can show: headless Chromium that has no network of its own.

A rendering starts a Chromium with an empty environment and a fresh profile (`process`, `profile`,
`flags`), talks to it over a pair of pipes (`pipe`), shows it one page (`tab`), waits until nothing
is on its way any more (`traffic`), takes the document as it then stands (`snapshot`), and ends the
process group and the profile, whatever happened.

Chromium resolves no name and opens no connection. What it wants to load, from whichever frame,
worker or pop-up, is held back by `Fetch.enable` on the browser's root session and comes here
(`interception`). Each request passes the guard, goes out through the pinned transport and is
answered with `Fetch.fulfillRequest` (`loader`, `top_document`); a redirect is answered as one, so
that its target comes back and is judged like any other URL. What never reaches `Fetch` (WebSockets,
prefetching, preconnecting, WebTransport, WebRTC) meets a resolver that knows no name and no
address, and a WebRTC policy that needs a proxy which is not there (SRD FR-WF-BSSR-01, option A).

Whatever ends a rendering early, a refused top document, a crash, a Chromium that grows too large,
is one exception in one future (`trouble`), which the work in `renderer` races against.
"""
