"""The colours of texts and of what is behind them, by computed styles: a part of the snapshot's script."""

COLOURS = """
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const colours = new Map();
  // Red, green, blue and how opaque; null for what is not a colour. A canvas knows every way to write one.
  const drawn = text => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = '#010203';
    canvas.fillStyle = text;
    if (canvas.fillStyle === '#010203') return null;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const colourOf = text => {
    if (!colours.has(text)) {
      const found = /^rgba?\\(([\\d.]+), ([\\d.]+), ([\\d.]+)(?:, ([\\d.]+))?\\)$/.exec(text);
      colours.set(text, found ? [+found[1], +found[2], +found[3], +(found[4] ?? 1)] : drawn(text));
    }
    return colours.get(text);
  };
  const over = (front, behind) => [0, 1, 2].map(at => front[at] * front[3] + behind[at] * (1 - front[3]));
  const looksSame = (one, other) => [0, 1, 2].every(at => Math.abs(one[at] - other[at]) <= NEARLY_SAME);

  // The parts of a value between commas or spaces that stand in no brackets.
  const partsOf = (text, sign) => {
    const parts = [''];
    let depth = 0;
    for (const letter of text) {
      depth += (letter === '(') - (letter === ')');
      if (letter === sign && !depth) parts.push('');
      else parts[parts.length - 1] += letter;
    }
    return parts.map(part => part.trim()).filter(Boolean);
  };
  // The colours of a gradient; null for another picture.
  const gradientColours = image => {
    const inner = /^(?:repeating-)?(?:linear|radial|conic)-gradient\\((.*)\\)$/.exec(image);
    if (!inner) return null;
    const found = partsOf(inner[1], ',').map(stop => colourOf(partsOf(stop, ' ')[0])).filter(Boolean);
    return found.length ? found : null;
  };
  // What a background paints: one colour, or null for a picture or several colours.
  const paintOf = style => {
    const own = colourOf(style.backgroundColor);
    if (style.backgroundImage === 'none') return own;
    const layers = partsOf(style.backgroundImage, ',').map(gradientColours);
    const all = layers.includes(null) ? [] : layers.flat();
    return all.length && all.every(one => one[3] === 1 && looksSame(one, all[0])) ? all[0] : null;
  };
  // What shows behind the texts in an element; null for a picture or a colour that is not known.
  const ground = (style, behind) => {
    if (style.webkitBackgroundClip.includes('text')) return behind;
    const own = paintOf(style);
    if (!own) return null;
    return own[3] === 0 ? behind : own[3] === 1 ? own : behind && over(own, behind);
  };
  // The colours with which letters are drawn; null where that is a picture, or is not known.
  const inksOf = style => {
    const inks = [colourOf(style.webkitTextFillColor)];
    if (parseFloat(style.webkitTextStrokeWidth) > 0) inks.push(colourOf(style.webkitTextStrokeColor));
    if (style.textShadow !== 'none') {
      for (const shadow of partsOf(style.textShadow, ',')) {
        const [colour, ...lengths] = partsOf(shadow, ' ');
        if (lengths.slice(0, 2).every(each => Math.abs(parseFloat(each)) < FAR)) inks.push(colourOf(colour));
      }
    }
    if (style.webkitBackgroundClip.includes('text')) inks.push(paintOf(style));
    return inks.includes(null) ? null : inks.filter(one => one[3] > FAINTEST);
  };
  // Whether a text's colours alone hide it, as far as what is around it tells.
  const isColourless = ({style, behind}) => {
    const inks = inksOf(style);
    if (!inks) return false;
    if (!inks.length) return true;
    return Boolean(behind) && inks.every(one => looksSame(over(one, behind), behind));
  };
  const isMaskedAway = style => {
    if (style.maskImage === 'none') return false;
    const images = partsOf(style.maskImage, ','), sizes = partsOf(style.maskSize, ',');
    return images.every((image, at) => {
      if (image === 'none') return false;
      const isClear = gradientColours(image)?.every(one => one[3] <= FAINTEST);
      return isClear || partsOf(sizes[at % sizes.length], ' ').some(each => parseFloat(each) <= 0);
    });
  };
"""
