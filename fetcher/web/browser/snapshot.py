"""Takes the current document, with the contents of shadow roots and of frames of the same origin.

The script runs in an isolated world, where the page cannot have replaced any function. Only names that the
page gives to elements can get in its way (`<input name="outerHTML">` in a form), so properties are read
through their prototypes.

For the reading mode `article`, text that Chromium does not show is marked (`visibility`). What is not
rendered or has no room is closed: a click may open it, and it is not judged any further. What is transparent
or invisible is faint: a script may be about to show it. What has no size or stands far outside of the window
is gone. An element is marked if all texts in it have the same verdict.
"""

from dataclasses import dataclass
from typing import Any

from fetcher.web.visibility import MARK, HiddenMark

_GETTERS = """
  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return target => { try { return get.call(target); } catch { return null; } };
  };
  const rootOf = getter(Document, 'documentElement');
  const htmlOf = getter(Element, 'outerHTML');
"""

SIZE = f"(() => {{ {_GETTERS} return new TextEncoder().encode(htmlOf(rootOf(document)) ?? '').length }})()"

_JUDGING = (
    f"""
  const MARK = '{MARK}', MARKS = {{2: '{HiddenMark.FAINT}', 4: '{HiddenMark.GONE}'}};
  const FAINT_TEXT = '{HiddenMark.FAINT_TEXT}', CLOSED = '{HiddenMark.CLOSED}';
"""
    """
  const SEEN = 1, FAINT = 2, GONE = 4, UNJUDGED = 8;
  const FAR = 900, SMALLEST_TEXT = 2.5, NO_ROOM = 1, MOST_TEXTS = 20;
  // Browsers themselves do not render what is in them, or show it in their own way.
  const UNTOUCHED = new Set([
    'head', 'script', 'style', 'template', 'noscript', 'svg', 'math', 'canvas', 'video', 'audio', 'object',
    'select', 'textarea', 'datalist', 'progress', 'meter',
  ]);
  const parentOf = getter(Node, 'parentNode'), hostOf = getter(ShadowRoot, 'host');
  const dataOf = getter(CharacterData, 'data');
  const scrolledLeft = getter(Element, 'scrollLeft'), scrolledTop = getter(Element, 'scrollTop');
  const widthOf = getter(Element, 'clientWidth'), heightOf = getter(Element, 'clientHeight');
  const boxOf = node => Element.prototype.getBoundingClientRect.call(node);
  const dropAttribute = (twin, name) => Element.prototype.removeAttribute.call(twin, name);
  const setMark = (twin, value) => Element.prototype.setAttribute.call(twin, MARK, value);
  const check = Element.prototype.checkVisibility;
  const isContents = node => getComputedStyle(node).display === 'contents';
  const isRendered = node => check.call(node) || isContents(node);
  // An element of `display: contents` has no box of its own: the one around it tells.
  const isOpaque = node => {
    while (node && kindOf(node) === 1 && isContents(node)) node = parentOf(node);
    const boxed = node && kindOf(node) !== 1 ? hostOf(node) : node;
    return !boxed || check.call(boxed, {opacityProperty: true, visibilityProperty: true});
  };
  // How many sides of a box have no room for what is in it.
  const sidesWithoutRoom = node => {
    const {overflow, display} = getComputedStyle(node);
    if (!innerOf[nameOf(node)] && (overflow === 'visible' || /^(?:inline|contents)$/.test(display))) return 0;
    return (widthOf(node) <= NO_ROOM) + (heightOf(node) <= NO_ROOM);
  };
  const goesLeft = getComputedStyle(root).direction === 'rtl';
  const isFar = (box, {left, top}) => box.bottom + top < -FAR || (!goesLeft && box.right + left < -FAR);
  const range = new Range();
  const isUnreadable = (text, place) => {
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    return box.width <= 0 || box.height < SMALLEST_TEXT || isFar(box, place);
  };
  const textsIn = children => {
    const found = [];
    for (const child of children) if (kindOf(child) === 3 && dataOf(child).trim()) found.push(child);
    return found;
  };

  const isPage = node => node === root || node === bodyOf(document);
  const entries = [];
  const judge = (node, twin, children, parent) => {
    const {inside = 0, left = 0, top = 0} = parent ?? {};
    const entry = {node, twin, parent, inside, left, top, own: 0, all: 0, closed: false};
    entries.push(entry);
    if (inside === UNJUDGED || UNTOUCHED.has(nameOf(node))) {
      entry.inside = UNJUDGED;
      return entry;
    }
    const body = frameBody(node);
    const rendered = isRendered(node), tight = rendered && !isPage(node) ? sidesWithoutRoom(node) : 0;
    if (!rendered || tight === 1) {
      // Closed `details` are the browser's own: everybody can open them.
      const opens = isPage(node) || (parent && nameOf(parent.node) === 'details');
      entry.closed = !opens && Boolean(body || said(node));
      entry.inside = UNJUDGED;
      return entry;
    }
    for (const name of ['hidden', 'popover']) dropAttribute(twin, name);
    if (tight === 2 || (body && isFar(boxOf(node), entry))) entry.inside = GONE;
    else if (body && !isOpaque(node)) entry.inside ||= FAINT;
    entry.left = body ? 0 : left + scrolledLeft(node);
    entry.top = body ? 0 : top + scrolledTop(node);
    const texts = textsIn(children);
    if (texts.length) {
      const isGone = texts.slice(0, MOST_TEXTS).every(text => isUnreadable(text, entry));
      entry.own = entry.inside || (isGone ? GONE : isOpaque(node) ? SEEN : FAINT);
    } else if (nameOf(node) === 'img') {
      // Its own opacity does not count: scripts fade pictures in when they have loaded.
      entry.own = entry.inside || (isOpaque(parentOf(node)) ? SEEN : FAINT);
    }
    return entry;
  };
  const settle = () => {
    for (const entry of entries.toReversed()) {
      entry.all |= entry.own;
      if (isPage(entry.node)) entry.all |= SEEN;  // never left out as a whole
      if (entry.parent) entry.parent.all |= entry.all;
    }
    for (const {twin, parent, closed, own, all} of entries) {
      if (closed) {
        setMark(twin, CLOSED);
      } else if (all in MARKS) {
        // A parser may put an element elsewhere than a script has put it: each with a text has its own mark.
        if (own || !(parent && parent.all === all)) setMark(twin, MARKS[all]);
      } else if (own === FAINT) {
        setMark(twin, FAINT_TEXT);
      } else if (own === GONE) {
        for (const child of childrenOf(twin)) if (kindOf(child) === 3) child.data = '';
      }
    }
  };
"""
)

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
    + _JUDGING
    + """
  const copy = node => {
    const name = nameOf(node);
    const instead = frameBody(node) || name === 'slot' || name === 'frameset' ? INSTEAD[name] : null;
    const twin = instead ? inert.createElement(instead) : inert.importNode(node, false);
    if (marks && kindOf(twin) === 1) dropAttribute(twin, MARK);
    return twin;
  };
  // What scripts and style sheets say is kept; without scripts, elements stand in `noscript`.
  const copyUnread = (node, twin) => {
    if (nameOf(node) === 'noscript') {
      twin.innerHTML = textOf(node);
    } else {
      for (const child of childrenOf(node)) append.call(twin, inert.importNode(child, false));
    }
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
    if (marks) settle();
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
