"""The document as it stands, with what shadow roots and frames of the same origin show in it.

The script runs in a world of its own, where the page cannot have replaced anything. Only names that
the page gives to elements reach it (`<input name="outerHTML">` in a form), so properties are read
through their prototypes.
"""

from dataclasses import dataclass
from typing import Any

_GETTERS = """
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return target => { try { return get.call(target); } catch { return null; } };
  };
  const rootOf = getter(Document, 'documentElement');
  const htmlOf = getter(Element, 'outerHTML');
"""

SIZE = f"(() => {{ {_GETTERS} return new TextEncoder().encode(htmlOf(rootOf(document)) ?? '').length }})()"

SCRIPT = (
    f"(limit => {{ {_GETTERS}"
    """
  const bodyOf = getter(Document, 'body');
  const kindOf = getter(Node, 'nodeType');
  const childrenOf = getter(Node, 'childNodes');
  const textOf = getter(Node, 'textContent');
  const nameOf = getter(Element, 'localName');
  const shadowOf = getter(Element, 'shadowRoot');
  const innerOf = {
    iframe: getter(HTMLIFrameElement, 'contentDocument'),
    frame: getter(HTMLFrameElement, 'contentDocument'),
  };
  const append = Node.prototype.appendChild;
  const assigned = HTMLSlotElement.prototype.assignedNodes;
  const INSTEAD = {iframe: 'div', frame: 'div', frameset: 'div', slot: 'span'};
  const UNREAD = new Set(['script', 'style', 'template', 'noscript']);
  const inert = document.implementation.createHTMLDocument('');

  const said = node => (textOf(node) || '').trim() !== '';
  const frameBody = node => {
    const inner = innerOf[nameOf(node)]?.(node);
    const body = inner && bodyOf(inner);
    return body && said(body) ? body : null;
  };
  const shadowRoot = node => {
    const root = shadowOf(node);
    return root && (said(root) || root.querySelector('slot, iframe')) ? root : null;
  };
  // What a reader sees below a node, in order.
  const shown = node => {
    if (kindOf(node) !== 1) return [];
    const other = frameBody(node) || shadowRoot(node);
    if (other) return childrenOf(other);
    const slotted = nameOf(node) === 'slot' ? assigned.call(node) : [];
    return slotted.length ? slotted : childrenOf(node);
  };
  const copy = node => {
    const name = nameOf(node);
    const instead = frameBody(node) || name === 'slot' || name === 'frameset' ? INSTEAD[name] : null;
    return instead ? inert.createElement(instead) : inert.importNode(node, false);
  };
  // A stack of its own: documents nest deeper than calls may.
  const composed = root => {
    const result = copy(root);
    const stack = [[root, result]];
    while (stack.length) {
      const [node, twin] = stack.pop();
      for (const child of shown(node)) {
        const next = copy(child);
        append.call(twin, next);
        if (!UNREAD.has(nameOf(child))) stack.push([child, next]);
      }
    }
    return result;
  };
  const isComposed = root => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = root; node; node = walker.nextNode()) {
      if (frameBody(node) || shadowRoot(node)) return true;
    }
    return false;
  };

  const root = rootOf(document);
  if (!root) return {html: '', size: 0};
  let html = htmlOf(root);
  let bytes = new TextEncoder().encode(html);
  const size = bytes.length;
  if (size <= limit && isComposed(root)) {
    html = htmlOf(composed(root));
    bytes = new TextEncoder().encode(html);
  }
  return {html: new TextDecoder().decode(bytes.subarray(0, limit)), size: Math.max(size, bytes.length)};
})(%d)
"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A document's HTML, cut where it is longer than allowed."""

    html: str
    cut: bool

    @classmethod
    def of(cls, value: dict[str, Any], limit: int) -> "Snapshot":
        # A cut inside a character leaves the mark of a damaged one.
        html = str(value["html"])
        cut = value["size"] > limit
        return cls(html=html.rstrip("\N{REPLACEMENT CHARACTER}") if cut else html, cut=cut)
