"""Takes the current document, with the contents of shadow roots and of frames of the same origin.

The script runs in an isolated world, where the page cannot have replaced any function. Only names that the
page gives to elements can get in its way (`<input name="outerHTML">` in a form), so properties are read
through their prototypes.
"""

from dataclasses import dataclass
from typing import Any

from fetcher.web.browser.hidden_text import JUDGING
from fetcher.web.browser.page_scripts.touch_rules import RULES_OF_TOUCH

_GETTERS = """
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return target => { try { return get.call(target); } catch { return null; } };
  };
  const rootOf = getter(Document, 'documentElement');
  const htmlOf = getter(Element, 'outerHTML');
"""

SIZE = f"(() => {{ {_GETTERS} return new TextEncoder().encode(htmlOf(rootOf(document)) ?? '').length }})()"

_SCRIPT = (
    f"((limit, marks) => {{ {_GETTERS}"
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
  const inert = getter(Document, 'implementation')(document).createHTMLDocument('');
  const root = rootOf(document);
  if (!root) return {html: '', size: 0};

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
"""
    + JUDGING
    + RULES_OF_TOUCH
    + """
  const origin = {
    left: window.scrollX,
    top: window.scrollY,
    least: Math.min(0, window.innerWidth - root.scrollWidth) * (getComputedStyle(root).direction === 'rtl'),
    most: root.scrollWidth,
    state: {
      opacity: 1, gone: false, moved: false, veiled: false, unlaid: false, details: null,
      left: 0, top: 0,
      behind: getComputedStyle(root).colorScheme === 'dark' ? [18, 18, 18] : [255, 255, 255],
    },
  };
  const copy = node => {
    const name = nameOf(node);
    const instead = frameBody(node) || name === 'slot' || name === 'frameset' ? INSTEAD[name] : null;
    const twin = instead ? inert.createElement(instead) : inert.importNode(node, false);
    if (marks && kindOf(twin) === 1) dropMark(twin);
    return twin;
  };
  // What scripts and style sheets say is kept; without scripts, elements stand in `noscript`.
  const copyUnread = (node, twin) => {
    if (nameOf(node) !== 'noscript') {
      for (const child of childrenOf(node)) append.call(twin, inert.importNode(child, false));
      return;
    }
    twin.innerHTML = textOf(node);
    for (const marked of twin.querySelectorAll(`[${MARK}]`)) dropMark(marked);
  };
  // A stack of its own: documents nest deeper than calls may.
  const composed = (root, keepsUnread) => {
    const result = copy(root);
    const stack = [[root, result, null]];
    while (stack.length) {
      const [node, twin, around] = stack.pop();
      const children = shown(node);
      const entry = marks && kindOf(node) === 1 ? judge(node, twin, children, around) : null;
      for (const child of children) {
        const next = copy(child);
        append.call(twin, next);
        if (!UNREAD.has(nameOf(child))) stack.push([child, next, entry]);
        else if (keepsUnread) copyUnread(child, next);
      }
    }
    if (marks) {
      settle();
      const sheet = inert.createElement('style');
      sheet.textContent = rulesOfTouch();
      if (sheet.textContent) append.call(result, sheet);
    }
    return result;
  };
  const isComposed = root => {
    const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = root; node; node = walker.nextNode()) {
      if (frameBody(node) || shadowRoot(node)) return true;
    }
    return false;
  };

  let html = htmlOf(root);
  let bytes = new TextEncoder().encode(html);
  const size = bytes.length;
  const hasOthers = size <= limit && isComposed(root);
  if (hasOthers || (marks && size <= limit)) {
    html = htmlOf(composed(root, !hasOthers));
    bytes = new TextEncoder().encode(html);
  }
  return {html: new TextDecoder().decode(bytes.subarray(0, limit)), size: Math.max(size, bytes.length)};
})"""
)


def script(limit: int, *, marks: bool) -> str:
    """The script that takes at most `limit` bytes of the document; `marks`: with marks on invisible text."""
    return f"{_SCRIPT}({limit}, {'true' if marks else 'false'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A document's HTML, cut where it is longer than allowed."""

    html: str
    cut: bool

    @classmethod
    def of(cls, value: dict[str, Any], limit: int) -> "Snapshot":
        # A cut inside of a character leaves a replacement character.
        html = str(value["html"])
        cut = value["size"] > limit
        return cls(html=html.rstrip("\N{REPLACEMENT CHARACTER}") if cut else html, cut=cut)
