"""Finds the invisible text of a rendered document, by computed styles and by the positions of texts.

`JUDGING` is a part of the snapshot's script. It gives each element a state, made from the state of the
element around it, and a verdict to each element with its own text. Then it marks the outermost elements in
which all texts have the same verdict, and removes texts that stay invisible. Elements without a layout are
not judged: a click may show them.
"""

from fetcher.web.visibility import FAINTEST, FAR, MARK, NEARLY_SAME, SMALLEST_TEXT, HiddenMark

_CONSTANTS = f"""
  const MARK = '{MARK}', FAINTEST = {FAINTEST}, NEARLY_SAME = {NEARLY_SAME};
  const FAR = {FAR}, SMALLEST_TEXT = {SMALLEST_TEXT};
  const MARKS = {{2: '{HiddenMark.FAINT}', 4: '{HiddenMark.GONE}'}};
  const FAINT_TEXT = '{HiddenMark.FAINT_TEXT}', CLOSED = '{HiddenMark.CLOSED}';
"""

JUDGING = (
    _CONSTANTS
    + """
  const SEEN = 1, FAINT = 2, GONE = 4;
  const NO_ROOM = 2, MOST_PAINTED = 1000, MOST_TEXTS = 20, MOST_COMPARED = 1000000;
  const UNJUDGED = new Set([
    'head', 'script', 'style', 'template', 'noscript', 'svg', 'math', 'canvas', 'video', 'audio', 'object',
    'select', 'textarea', 'datalist', 'br', 'wbr', 'hr', 'input', 'link', 'meta',
  ]);
  const PICTURES = new Set(['img', 'picture', 'video', 'canvas', 'svg', 'iframe', 'object', 'embed']);
  const WITHOUT_TEXT = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'colgroup']);
  const WITHOUT_BOX = /^(?:inline|contents|table-.*|ruby.*)$/;
  const boxOf = node => Element.prototype.getBoundingClientRect.call(node);
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
  const widthOf = getter(Element, 'clientWidth'), heightOf = getter(Element, 'clientHeight');
  const scrolledLeft = getter(Element, 'scrollLeft'), scrolledTop = getter(Element, 'scrollTop');
  const hasAttribute = (node, name) => Element.prototype.hasAttribute.call(node, name);

  const colours = new Map();
  // Red, green, blue and how opaque; null for what is written in another way.
  const colourOf = text => {
    if (!colours.has(text)) {
      const found = /^rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?\\)/.exec(text);
      colours.set(text, found && [+found[1], +found[2], +found[3], +(found[4] ?? 1)]);
    }
    return colours.get(text);
  };
  const over = (front, behind) => [0, 1, 2].map(at => front[at] * front[3] + behind[at] * (1 - front[3]));
  const looksSame = (one, other) => [0, 1, 2].every(at => Math.abs(one[at] - other[at]) <= NEARLY_SAME);
  // What shows behind the texts in an element; null for a picture or a colour that is not known.
  const ground = (style, behind) => {
    const own = colourOf(style.backgroundColor);
    if (style.backgroundImage !== 'none' || !own) return null;
    return own[3] === 0 ? behind : own[3] === 1 ? own : behind && over(own, behind);
  };

  const lengths = (text, whole) => text.split(/[\\s,]+/).map(
    part => part.endsWith('%') ? parseFloat(part) / 100 * whole : parseFloat(part)
  );
  const leavesNothing = (first, last, size) => first + last >= size - NO_ROOM;
  const isCut = (node, style) => {
    const clip = /^rect\\((.*)\\)$/.exec(style.clip);
    if (clip && (style.position === 'absolute' || style.position === 'fixed')) {
      const [top, right, bottom, left] = lengths(clip[1], 0);
      if (bottom - top <= NO_ROOM || right - left <= NO_ROOM) return true;
    }
    const path = style.clipPath;
    if (path === 'none') return false;
    if (/^(?:circle|ellipse)\\(0(?:px|%)?[ )]/.test(path)) return true;
    if (/^polygon\\((?:[a-z]+, )?([^ ,]+ [^ ,]+)(?:, \\1)*\\)$/.test(path)) return true;
    const inset = /^inset\\(([^()]*?)(?: round .*)?\\)$/.exec(path);
    if (!inset) return false;
    const {width, height} = boxOf(node);
    const [high, wide] = [lengths(inset[1], height), lengths(inset[1], width)];
    return leavesNothing(high[0], high[2] ?? high[0], height)
      || leavesNothing(wide[1] ?? wide[0], wide[3] ?? wide[1] ?? wide[0], width);
  };
  // Which sides of a box have no room for what is in it, and do not show it outside.
  const sidesWithoutRoom = (node, style) => {
    const isFrame = innerOf[nameOf(node)];
    if (!isFrame && (style.overflow === 'visible' || WITHOUT_BOX.test(style.display))) return 0;
    return (widthOf(node) <= 1) + (heightOf(node) <= 1);
  };
  const isFilteredAway = style => {
    const found = style.filter !== 'none' && /opacity\\(([\\d.]+)\\)/.exec(style.filter);
    return Boolean(found) && +found[1] <= FAINTEST;
  };

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

  // How texts in an element stand, by its style and by what is around it; null where nothing is laid out.
  const stateIn = (node, around) => {
    if (!around || UNJUDGED.has(nameOf(node))) return null;
    if (around.gone) return around;
    const style = getComputedStyle(node);
    if (style.display === 'none' || !style.display) return null;
    if (nameOf(node) === 'details' && !hasAttribute(node, 'open')) return null;
    const room = style.contentVisibility === 'hidden' ? 1 : sidesWithoutRoom(node, style);
    const state = {
      style,
      opacity: isFilteredAway(style) ? 0 : around.opacity * style.opacity,
      gone: room === 2 || isCut(node, style),
      shut: room === 1,
      closed: around.closed || room === 1,
      behind: ground(style, around.behind),
      left: around.left + (node === root ? 0 : scrolledLeft(node)),
      top: around.top + (node === root ? 0 : scrolledTop(node)),
    };
    paints(node, style, state);
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
  const isUnreadable = (text, state) => {
    const box = textBox(text);
    return box.width <= 0 || box.height < SMALLEST_TEXT || isFar(box, state);
  };
  const isFaint = ({closed, opacity, style}) => !closed
    && (opacity <= FAINTEST || style.visibility !== 'visible');
  // Whether a text's colour alone hides it, as far as what is around it tells.
  const isColourless = ({style, behind}) => {
    if (style.webkitBackgroundClip.includes('text')) return false;
    const colour = colourOf(style.webkitTextFillColor);
    const shadow = style.textShadow === 'none' ? null : colourOf(style.textShadow);
    const shown = [colour, shadow].filter(one => one && one[3] > FAINTEST);
    if (!colour) return false;
    if (!shown.length) return true;
    return Boolean(behind) && shown.every(one => looksSame(over(one, behind), behind));
  };
  const verdictOn = (texts, state) => {
    if (state.gone) return GONE;
    const {style} = state;
    if (parseFloat(style.fontSize) < SMALLEST_TEXT) return GONE;
    if (texts.slice(0, MOST_TEXTS).every(text => isUnreadable(text, state))) return GONE;
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
    const entry = {node, twin, parent, inside: stateIn(node, around), own: 0, all: 0};
    const body = entry.inside && frameBody(node);
    if (body) entry.inside = inFrame(body, entry.inside);
    const state = entry.inside;
    if (state) {
      const texts = textsIn(children);
      if (texts.length) {
        entry.own = verdictOn(texts, state);
        if (entry.own === SEEN && isColourless(state)) doubtful.push({entry, text: texts[0]});
      } else if (nameOf(node) === 'img') {
        // Its own opacity does not count: scripts fade pictures in when they have loaded.
        entry.own = state.gone ? GONE : parent && !around.closed && around.opacity <= FAINTEST ? FAINT : SEEN;
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
      const isClear = (colourOf(inside.style.webkitTextFillColor)?.[3] ?? 1) <= FAINTEST;
      if (isClear || !(standsOnOther(node, textBox(text), inside) || hasDrawnPart(node))) entry.own = GONE;
    }
    for (const entry of entries.toReversed()) {
      entry.all |= entry.own;
      // The page itself is never left out as a whole.
      if (entry.node === root || entry.node === bodyOf(document)) entry.all |= SEEN;
      if (entry.parent) entry.parent.all |= entry.all;
    }
    for (const {twin, parent, inside, own, all} of entries) {
      // A parser may put a text elsewhere than a script has put it, outside of what is marked around it.
      if (own === GONE || (own === FAINT && WITHOUT_TEXT.has(nameOf(twin)))) emptyTexts(twin);
      if (all in MARKS) {
        if (own || !(parent && parent.all === all)) setMark(twin, MARKS[all]);
      } else if (own === FAINT) {
        setMark(twin, FAINT_TEXT);
      } else if (all && inside?.shut) {
        setMark(twin, CLOSED);
      }
    }
  };
"""
)
