"""Pages that only a browser can show: headless Chromium that has no network of its own.

Read `renderer` first. A rendering starts a Chromium with an empty environment and a new profile (`launch`,
`command_line`, `process`), talks to it over a pair of pipes (`devtools_pipe`), opens one page (`tab`), waits
until its network is idle (`page_activity`), takes the document (`snapshot`), and always ends the process
group and removes the profile.

Chromium resolves no name and opens no connection. Every request, from any frame, worker or pop-up, is paused
by `Fetch.enable` on the browser's root session and is answered here (`interception`). Each request passes the
guard, is sent by the pinned transport and is answered with `Fetch.fulfillRequest` (`loader`).
A redirect is passed on as one, so that its target comes back and is checked like any other URL. Requests that
`Fetch` does not see (WebSockets, prefetching, preconnecting, WebTransport, WebRTC) fail: the resolver knows
no name and no address, and the WebRTC policy needs a proxy that does not exist (SRD FR-WF-BSSR-01, option A).

A refused top document, a crash, or a Chromium that grows too large ends a rendering early, with the first
error that was reported.
"""
