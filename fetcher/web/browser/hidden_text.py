"""Finds the invisible text of a rendered document, by computed styles and by the positions of texts.

`JUDGING` is a part of the snapshot's script. It gives each element a state, made from the state of the
element around it, and a verdict to each element with its own text. Then it marks the outermost elements in
which all texts have the same verdict, and removes texts that stay invisible. Elements that are closed (not
laid out, or without room) are marked as such: the reader decides whether a click opens them. In elements
that are not laid out, only styles tell.
"""

from fetcher.web.browser.page_scripts.computed_boxes import BOXES
from fetcher.web.browser.page_scripts.computed_colours import COLOURS
from fetcher.web.visibility import FAINTEST, FAR, MARK, MOST_BLURRED, NEARLY_SAME, SMALLEST_TEXT, HiddenMark

_CONSTANTS = f"""
  const MARK = '{MARK}', FAINTEST = {FAINTEST}, NEARLY_SAME = {NEARLY_SAME};
  const FAR = {FAR}, SMALLEST_TEXT = {SMALLEST_TEXT}, MOST_BLURRED = {MOST_BLURRED};
  const MARKS = {{2: '{HiddenMark.FAINT}', 4: '{HiddenMark.GONE}'}};
  const FAINT_TEXT = '{HiddenMark.FAINT_TEXT}', CLOSED = '{HiddenMark.CLOSED}';
"""

JUDGING = (
    _CONSTANTS
    + COLOURS
    + BOXES
    + """
  const SEEN = 1, FAINT = 2, GONE = 4;
  const MOST_PAINTED = 1000, MOST_TEXTS = 20, MOST_COMPARED = 1000000;
  const UNJUDGED = new Set([
    'head', 'script', 'style', 'template', 'noscript', 'svg', 'math', 'canvas', 'video', 'audio', 'object',
    'select', 'textarea', 'datalist', 'br', 'wbr', 'hr', 'input', 'link', 'meta', 'rp', 'area', 'title',
    'source', 'track', 'param', 'base',
  ]);
  const PICTURES = new Set(['img', 'picture', 'video', 'canvas', 'svg', 'iframe', 'object', 'embed']);
  const WITHOUT_TEXT = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'colgroup']);
  const NOT_LAID_OUT = /^(?:none|table-column(?:-group)?)$/;
  const setMark = (twin, value) => Element.prototype.setAttribute.call(twin, MARK, value);
  const attributesOf = getter(Element, 'attributes');
  // Scripts can give an attribute twice, in other letters or another namespace; the first would be read.
  const dropMark = twin => {
    for (const one of [...attributesOf(twin)]) {
      if (one.name.length === MARK.length && one.name.toLowerCase() === MARK) {
        Element.prototype.removeAttributeNode.call(twin, one);
      }
    }
  };
  const parentOf = getter(Node, 'parentNode');
  const dataOf = getter(CharacterData, 'data');
  const scrolledLeft = getter(Element, 'scrollLeft'), scrolledTop = getter(Element, 'scrollTop');
  const hasAttribute = (node, name) => Element.prototype.hasAttribute.call(node, name);

  const painted = [];
  const paints = (node, style, state) => {
    if (painted.length >= MOST_PAINTED || state.opacity <= FAINTEST) return;
    const own = colourOf(style.backgroundColor);
    const isPicture = PICTURES.has(nameOf(node));
    if (!isPicture && style.backgroundImage === 'none' && own && own[3] === 0) return;
    let box = boxOf(node);
    // Pictures are not loaded: one without a size would fill what it is in.
    if (isPicture && (box.width <= NO_ROOM || box.height <= NO_ROOM)) box = boxOf(parentOf(node) ?? node);
    painted.push({node, box, colour: isPicture || style.backgroundImage !== 'none' ? null : own});
  };

  // How texts in an element stand, by its style and by what is around it; null where it is not judged.
  const stateIn = (node, around) => {
    const name = nameOf(node);
    if (!around || UNJUDGED.has(name)) return null;
    if (around.gone) return around;
    const style = getComputedStyle(node);
    if (!style.display) return null;
    const isClosed = NOT_LAID_OUT.test(style.display) && node !== root && node !== bodyOf(document);
    const inSummary = name === 'summary' && around.details;
    const details = name === 'details' && !hasAttribute(node, 'open') ? {unlaid: around.unlaid} : null;
    const unlaid = isClosed || style.display === 'none' || Boolean(details)
      || (inSummary ? around.details.unlaid : around.unlaid);
    const matrix = matrixOf(node, style, unlaid);
    const isBack = matrix && style.backfaceVisibility === 'hidden' && showsBack(matrix);
    const isHeldBack = isBack || style.contentVisibility === 'hidden';
    const room = isHeldBack ? 1 : unlaid ? 0 : sidesWithoutRoom(node, style);
    const shut = isClosed || room === 1;
    const state = {
      style, unlaid, details, shut,
      // What is closed is often transparent and invisible too, until it opens.
      opacity: around.opacity * (shut ? 1 : opacityOf(style)),
      veiled: shut ? style.visibility !== 'visible' : around.veiled,
      gone: room === 2 || isCut(node, style, unlaid) || isMaskedAway(style)
        || Boolean(matrix && isFlat(matrix)) || (unlaid && isPutAway(style, matrix)),
      moved: around.moved || (!unlaid && isMovedAway(node, style, matrix)),
      behind: ground(style, around.behind),
      left: around.left + (node === root ? 0 : scrolledLeft(node)),
      top: around.top + (node === root ? 0 : scrolledTop(node)),
    };
    if (!unlaid) paints(node, style, state);
    return state;
  };
  const inFrame = (body, around) => {
    const page = parentOf(body);
    const outer = page && kindOf(page) === 1 ? stateIn(page, around) : around;
    return stateIn(body, outer);
  };

  const isFar = (box, state) => {
    const {left, right, bottom} = box;
    return right + state.left + origin.left < origin.least - FAR || bottom + state.top + origin.top < -FAR
      || left + state.left + origin.left > origin.most + 10 * FAR;
  };
  const range = new Range();
  const textBox = text => {
    range.selectNodeContents(text);
    return range.getBoundingClientRect();
  };
  const isOutOfWindow = box => box.right + origin.left <= 0 || box.bottom + origin.top <= 0
    || box.left + origin.left >= window.innerWidth || box.top >= window.innerHeight;
  const isUnreadable = (text, state) => {
    const box = textBox(text);
    if (state.moved && isOutOfWindow(box)) return true;
    return box.width <= 0 || box.height < SMALLEST_TEXT || isFar(box, state);
  };
  const isFaint = ({opacity, veiled, style}) => opacity <= FAINTEST
    || (style.visibility !== 'visible' && !veiled);
  const verdictOn = (texts, state) => {
    if (state.gone) return GONE;
    const {style} = state;
    if (parseFloat(style.fontSize) < SMALLEST_TEXT) return GONE;
    if (!state.unlaid && texts.slice(0, MOST_TEXTS).every(text => isUnreadable(text, state))) return GONE;
    return isFaint(state) ? FAINT : SEEN;
  };
  const textsIn = children => {
    const found = [];
    for (const child of children) if (kindOf(child) === 3 && dataOf(child).trim()) found.push(child);
    return found;
  };

  const entries = [];
  const doubtful = [];
  const judge = (node, twin, children, parent) => {
    const around = parent ? parent.inside : origin.state;
    const outer = stateIn(node, around);
    const body = outer && frameBody(node);
    const state = body ? inFrame(body, outer) : outer;
    const isFrame = Boolean(body), shut = outer?.shut;
    const entry = {node, twin, parent, inside: state, shut, isFrame, own: 0, all: 0};
    if (outer && !outer.unlaid && !outer.shut) {
      for (const name of ['hidden', 'popover']) Element.prototype.removeAttribute.call(twin, name);
    }
    if (state) {
      const texts = textsIn(children);
      if (texts.length) {
        entry.own = verdictOn(texts, state);
        if (entry.own === SEEN && isColourless(state)) doubtful.push({entry, text: texts[0]});
      } else if (nameOf(node) === 'img') {
        // Its own opacity does not count: scripts fade pictures in when they have loaded.
        entry.own = state.gone ? GONE : parent && around.opacity <= FAINTEST ? FAINT : SEEN;
      }
    }
    entries.push(entry);
    return entry;
  };

  const meet = (one, other) => one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom;
  const contains = Node.prototype.contains;
  let compared = 0;
  // Whether something else than what is around a text is drawn where it stands.
  const standsOnOther = (node, box, state) => painted.some(other => {
    if (++compared > MOST_COMPARED || !meet(other.box, box) || contains.call(other.node, node)) return false;
    return !other.colour || !state.behind || !looksSame(other.colour, state.behind);
  });
  const hasDrawnPart = node => {
    for (let at = node, steps = 0; at && kindOf(at) === 1 && steps < 8; at = parentOf(at), steps++) {
      for (const part of ['::before', '::after']) {
        const style = getComputedStyle(at, part);
        if (style.content === 'none' || style.content === 'normal') continue;
        if (style.backgroundImage !== 'none' || colourOf(style.backgroundColor)?.[3] !== 0) return true;
      }
    }
    return false;
  };
  const emptyTexts = twin => {
    for (const child of childrenOf(twin)) if (kindOf(child) === 3) child.data = '';
  };
  const settle = () => {
    for (const {entry, text} of doubtful) {
      const {node, inside} = entry;
      const isClear = !inksOf(inside.style)?.length;
      if (isClear || !(standsOnOther(node, textBox(text), inside) || hasDrawnPart(node))) entry.own = GONE;
    }
    for (const entry of entries.toReversed()) {
      entry.all |= entry.own;
      // The page itself is never left out as a whole.
      if (entry.node === root || entry.node === bodyOf(document)) entry.all |= SEEN;
      if (entry.parent) entry.parent.all |= entry.all;
    }
    for (const {twin, parent, shut, isFrame, own, all} of entries) {
      // A parser may put a text elsewhere than a script has put it, outside of what is marked around it.
      if (own === GONE || (own === FAINT && WITHOUT_TEXT.has(nameOf(twin)))) emptyTexts(twin);
      if (all in MARKS) {
        if (own || !(parent && parent.all === all)) setMark(twin, MARKS[all]);
      } else if (own === FAINT) {
        setMark(twin, FAINT_TEXT);
      } else if (shut && (all || isFrame)) {
        setMark(twin, CLOSED);
      }
    }
  };
"""
)
