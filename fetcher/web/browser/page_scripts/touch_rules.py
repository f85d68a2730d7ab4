"""The rules that show something once a person touches the page: a part of the snapshot's script.

A reader of the snapshot knows by them what opens. It does not have the style sheets that a page links.
"""

RULES_OF_TOUCH = """
  const TOUCHED = new RegExp(
    ':(?:checked|target|hover|focus|open|popover-open|active)|\\\\[(?:open|aria-expanded|aria-selected)'
  );
  const SHOWING = ['display', 'visibility', 'height', 'max-height'];
  const MOST_OF_TOUCH = 50000, LONGEST_OF_TOUCH = 2000;
  const sheetsOf = getter(Document, 'styleSheets'), rulesOf = getter(CSSStyleSheet, 'cssRules');
  // Sheets of other origins cannot be read. A rule that could end the element around it is left out.
  const rulesOfTouch = () => {
    const waiting = [...sheetsOf(document)].reverse().map(rulesOf).filter(Boolean);
    let found = '';
    while (waiting.length && found.length < MOST_OF_TOUCH) {
      for (const rule of waiting.pop()) {
        const {selectorText, media, style, cssRules} = rule;
        if (cssRules?.length && (!media || matchMedia(media.mediaText).matches)) waiting.push(cssRules);
        if (!selectorText || !TOUCHED.test(selectorText)) continue;
        const shown = SHOWING.map(name => [name, style.getPropertyValue(name)]).filter(([, value]) => value);
        const css = `${selectorText}{${shown.map(each => each.join(':')).join(';')}}`;
        if (shown.length && css.length < LONGEST_OF_TOUCH && !css.includes('<')) found += css;
      }
    }
    return found;
  };
"""
