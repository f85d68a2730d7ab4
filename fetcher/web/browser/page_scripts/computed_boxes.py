"""Where boxes stand and what is left of them, by computed styles: a part of the snapshot's script.

Most is told by where a text stands. What a box clips, turns or moves out of reach is told by its style alone.
"""

BOXES = """
  const NO_ROOM = 2, THINNEST = 0.1, UNKNOWN_SIZE = 1000;
  const WITHOUT_BOX = /^(?:inline|contents|table-.*|ruby.*)$/;
  const boxOf = node => Element.prototype.getBoundingClientRect.call(node);
  const widthOf = getter(Element, 'clientWidth'), heightOf = getter(Element, 'clientHeight');
  const stylesOf = node => Element.prototype.computedStyleMap.call(node);

  const lengths = (text, whole) => text.split(/[\\s,]+/).filter(Boolean).map(
    part => part.endsWith('%') ? parseFloat(part) / 100 * whole : parseFloat(part)
  );
  // Whether a rectangle has nothing in common with a box of a size.
  const isOutside = (left, top, right, bottom, width, height) =>
    Math.min(right, width) - Math.max(left, 0) <= NO_ROOM
    || Math.min(bottom, height) - Math.max(top, 0) <= NO_ROOM;
  const roundIsEmpty = (inner, width, height) => {
    const [sizes, place] = inner.split(/(?:^|\\s)at\\s/);
    const [across, down = '50%'] = (place ?? '50% 50%').split(' ');
    const [[x], [y]] = [lengths(across, width), lengths(down, height)];
    const dx = Math.min(Math.abs(x), Math.abs(width - x)), dy = Math.min(Math.abs(y), Math.abs(height - y));
    const given = sizes.trim().split(/\\s+/).filter(Boolean);
    const radius = (word, side, whole) =>
      !word || word === 'closest-side' ? side : word === 'farthest-side' ? whole : lengths(word, whole)[0];
    const closest = given.length < 2 ? Math.min(dx, dy) : null;
    const rx = radius(given[0], closest ?? dx, width);
    const ry = radius(given[1] ?? given[0], closest ?? dy, height);
    return Math.min(rx, ry) <= NO_ROOM / 2 || isOutside(x - rx, y - ry, x + rx, y + ry, width, height);
  };
  const SHAPES = {
    inset: (inner, width, height) => {
      const sides = inner.split(' round ')[0].trim().split(/\\s+/);
      const [top, right = top, bottom = top, left = right] = sides;
      const [high, wide] = [lengths(`${top} ${bottom}`, height), lengths(`${right} ${left}`, width)];
      return isOutside(wide[1], high[0], width - wide[0], height - high[1], width, height);
    },
    xywh: (inner, width, height) => {
      const [x, y, w, h] = inner.split(' round ')[0].trim().split(/\\s+/);
      const [left, wide] = lengths(`${x} ${w}`, width), [top, high] = lengths(`${y} ${h}`, height);
      return isOutside(left, top, left + wide, top + high, width, height);
    },
    rect: (inner, width, height) => {
      const [top, right, bottom, left] = inner.split(' round ')[0].trim().split(/\\s+/);
      const at = (word, whole, auto) => word === 'auto' ? auto : lengths(word, whole)[0];
      const [from, to] = [at(left, width, 0), at(right, width, width)];
      return isOutside(from, at(top, height, 0), to, at(bottom, height, height), width, height);
    },
    polygon: (inner, width, height) => {
      const corners = inner.replace(/^(?:nonzero|evenodd),/, '').split(',');
      const points = corners.map(corner => corner.trim().split(/\\s+/));
      const xs = points.map(([x]) => lengths(x, width)[0]), ys = points.map(([, y]) => lengths(y, height)[0]);
      if ([...xs, ...ys].some(isNaN)) return false;
      return isOutside(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), width, height);
    },
    circle: roundIsEmpty,
    ellipse: roundIsEmpty,
  };
  const isCut = (node, style, unlaid) => {
    const clip = /^rect\\((.*)\\)$/.exec(style.clip);
    if (clip && (style.position === 'absolute' || style.position === 'fixed')) {
      const [top, right, bottom, left] = lengths(clip[1], 0);
      if (bottom - top <= NO_ROOM || right - left <= NO_ROOM) return true;
    }
    const path = /^(\\w+)\\((.*)\\)/.exec(style.clipPath);
    if (!path || !SHAPES[path[1]] || path[2].includes('(')) return false;
    const {width, height} = unlaid ? {width: UNKNOWN_SIZE, height: UNKNOWN_SIZE} : boxOf(node);
    return SHAPES[path[1]](path[2], width, height);
  };

  // Which sides of a box have no room for what is in it, and do not show it outside.
  const sidesWithoutRoom = (node, style) => {
    const isFrame = innerOf[nameOf(node)];
    if (!isFrame && (style.overflow === 'visible' || WITHOUT_BOX.test(style.display))) return 0;
    return (widthOf(node) <= 1) + (heightOf(node) <= 1);
  };
  const opacityOf = style => {
    let opacity = +style.opacity;
    for (const [, share] of style.filter.matchAll(/opacity\\(([\\d.]+)\\)/g)) opacity *= +share;
    const blurs = [...style.filter.matchAll(/blur\\(([\\d.]+)px\\)/g)];
    return blurs.some(([, pixels]) => pixels >= MOST_BLURRED) ? 0 : opacity;
  };

  const AS_FUNCTIONS = {
    translate: values => `translate(${values.slice(0, 2)})`,
    rotate: values => values.length === 1 ? `rotate(${values})`
      : values.length === 2 ? `rotate${values[0].toUpperCase()}(${values[1]})` : `rotate3d(${values})`,
    scale: values => `scale(${values.slice(0, 2)})`,
    transform: (_, value) => value,
  };
  // What all transformations of a box together do; null without any.
  const matrixOf = (node, style, unlaid) => {
    let matrix = null;
    const own = unlaid ? stylesOf(node) : null;
    for (const name in AS_FUNCTIONS) {
      const value = own ? own.get(name).toString() : style[name];
      if (value === 'none') continue;
      matrix ??= new DOMMatrix();
      try {
        matrix.multiplySelf(new DOMMatrix(AS_FUNCTIONS[name](value.split(' '), value)));
      } catch { /* a share of the box: its text tells where it stands */ }
    }
    return matrix;
  };
  const isFlat = ({m11: a, m12: b, m21: c, m22: d}) => {
    const squares = a * a + b * b + c * c + d * d, area = a * d - b * c;
    const root = Math.sqrt(Math.max(0, squares ** 2 - 4 * area ** 2));
    return Math.sqrt(Math.max(0, (squares - root) / 2)) < THINNEST;
  };
  const showsBack = matrix => {
    const {m11, m12, m13, m21, m22, m23, m31, m32, m33} = matrix;
    const volume = m11 * (m22 * m33 - m23 * m32) - m12 * (m21 * m33 - m23 * m31)
      + m13 * (m21 * m32 - m22 * m31);
    return (m11 * m22 - m12 * m21) * volume < 0;
  };
  const isAuto = (own, name) => own.get(name)?.value === 'auto';
  // A length or a share of the window in pixels; 0 for what is neither.
  const sideOf = (own, name, whole) => {
    const {value, unit} = own.get(name) ?? {};
    return typeof value !== 'number' ? 0 : unit === 'percent' ? value / 100 * (whole ?? 0) : value;
  };
  // Whether its style moves an element out of reach of scrolling; its text tells whether it is really there.
  const isMovedAway = (node, style, matrix) => {
    const margin = parseFloat(style.marginLeft) || 0, above = parseFloat(style.marginTop) || 0;
    if (matrix?.m41 >= 10 * FAR || margin >= 10 * FAR) return true;
    if (style.position === 'static') return false;
    const left = parseFloat(style.left) || 0, top = parseFloat(style.top) || 0;
    if (left >= 10 * FAR) return true;
    if (Math.max(left, margin) <= 0 && left + margin <= -FAR) return true;
    if (Math.max(top, above) <= 0 && top + above <= -FAR) return true;
    if (style.position !== 'absolute' && style.position !== 'fixed') return false;
    const own = stylesOf(node), isFixed = style.position === 'fixed';
    const [wide, high] = [window.innerWidth, window.innerHeight];
    const side = (name, whole) => sideOf(own, name, isFixed ? whole : null);
    if (isAuto(own, 'left') && side('right', wide) >= wide) return true;
    return isFixed && (
      (isAuto(own, 'top') && side('bottom', high) >= high)
      || side('top', high) >= high || side('left', wide) >= wide
    );
  };
  // The same for an element that is not laid out: there only its style tells.
  const isPutAway = (style, matrix) => {
    const placed = style.position === 'static' ? [] : [style.left, style.top];
    const moved = [...placed, style.marginLeft, style.marginTop, style.textIndent].map(parseFloat);
    return [...moved, matrix?.m41, matrix?.m42].some(each => each <= -FAR) || matrix?.m41 >= 10 * FAR;
  };
"""
