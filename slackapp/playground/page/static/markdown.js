// Markdown as Slack's markdown blocks have it: headings, lists, quotes, code, tables, links and emphasis.

import { h, link } from "./dom.js"
import { bracketed, emoji, inlined, unescape } from "./inline.js"

const INLINE = [
  {
    pattern: /(`+)([\s\S]*?[^`])\1(?!`)/,
    build: (found) => h("code", {}, unescape(found[2].trim() || found[2])),
  },
  {
    pattern: /!?\[((?:[^\[\]\\]|\\.)*)\]\(<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?\)/,
    build: (found) => link(unescape(found[2]), plain(found[1])),
  },
  { pattern: /<((?:https?:|[@#!])[^<>\s]*(?:\|[^<>]*)?)>/, build: (found) => bracketed(found[1]) },
  {
    pattern: /https?:\/\/[^\s<>()[\]、。「」（）]+[^\s<>()[\]、。「」（）.,!?]/,
    build: (found) => link(unescape(found[0])),
  },
  { pattern: /\*\*(?=\S)([\s\S]*?\S)\*\*/, build: (found) => h("strong", {}, inline(found[1])) },
  {
    pattern: /(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/,
    build: (found) => h("em", {}, inline(found[1])),
  },
  { pattern: /(?<!\w)_(?=\S)([^_\n]*\S)_(?!\w)/, build: (found) => h("em", {}, inline(found[1])) },
  { pattern: /~~(?=\S)([\s\S]*?\S)~~/, build: (found) => h("s", {}, inline(found[1])) },
  { pattern: /\\([!-/:-@[-`{-~])/, build: (found) => document.createTextNode(found[1]) },
  { pattern: /:([a-z0-9_+-]+):/, build: (found) => document.createTextNode(emoji(found[1])) },
]

const plain = (text) => unescape(text.replace(/\\([!-/:-@[-`{-~])/g, "$1"))

const inline = (text) => inlined(text, INLINE)

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/
const RULE = /^\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/
const QUOTE = /^\s{0,3}>\s?(.*)$/
const ITEM = /^(\s*)([-*+•]|\d{1,9}[.)])\s+(.*)$/
const ROW = /^\s*\|.*\|\s*$/
const DELIMITER = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/

export function markdown(text) {
  const lines = text.split("\n")
  const nodes = []
  let at = 0
  while (at < lines.length) {
    const [node, next] = block(lines, at)
    if (node) nodes.push(node)
    at = next
  }
  return nodes
}

function block(lines, at) {
  const line = lines[at]
  if (!line.trim()) return [null, at + 1]
  if (FENCE.test(line)) return fence(lines, at)
  if (HEADING.test(line)) {
    const [, marks, words] = HEADING.exec(line)
    return [h(`h${Math.min(marks.length + 2, 6)}`, {}, inline(words)), at + 1]
  }
  if (RULE.test(line)) return [h("hr"), at + 1]
  if (QUOTE.test(line))
    return run(lines, at, QUOTE, (inside) =>
      h("blockquote", {}, markdown(inside.map((found) => found[1]).join("\n"))),
    )
  if (ROW.test(line) && DELIMITER.test(lines[at + 1] ?? "")) return table(lines, at)
  if (ITEM.test(line)) return list(lines, at)
  return paragraph(lines, at)
}

function run(lines, at, pattern, build) {
  const found = []
  let next = at
  while (next < lines.length && pattern.test(lines[next])) found.push(pattern.exec(lines[next++]))
  return [build(found), next]
}

function fence(lines, at) {
  const [, marks] = FENCE.exec(lines[at])
  let next = at + 1
  while (next < lines.length && !lines[next].trim().startsWith(marks)) next += 1
  return [h("pre", {}, unescape(lines.slice(at + 1, next).join("\n"))), next + 1]
}

function table(lines, at) {
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
  const aligns = cells(lines[at + 1]).map((mark) =>
    /^:-+:$/.test(mark) ? "center" : /-:$/.test(mark) ? "right" : "left",
  )
  const row = (line, tag) =>
    h(
      "tr",
      {},
      cells(line).map((cell, index) => h(tag, { class: `to-${aligns[index] ?? "left"}` }, inline(cell))),
    )
  let next = at + 2
  const body = []
  while (next < lines.length && ROW.test(lines[next])) body.push(row(lines[next++], "td"))
  return [
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, row(lines[at], "th")), h("tbody", {}, body))),
    next,
  ]
}

function list(lines, at) {
  const items = []
  let next = at
  while (next < lines.length) {
    const found = ITEM.exec(lines[next])
    const item = found && {
      depth: Math.floor(found[1].length / 2),
      ordered: /\d/.test(found[2]),
      number: parseInt(found[2], 10),
      lines: [found[3]],
    }
    if (item && items.length && item.depth === items[0].depth && item.ordered !== items[0].ordered) break // another list
    if (item) items.push(item)
    else if (lines[next].trim() && /^\s/.test(lines[next])) items.at(-1).lines.push(lines[next].trim())
    else break
    next += 1
  }
  return [nested(items), next]
}

// Items by their depth: deeper ones hang on the one before them.
function nested(items) {
  const top = Math.min(...items.map((item) => item.depth))
  const ordered = items[0].ordered
  const node = h(ordered ? "ol" : "ul", ordered && items[0].number > 1 ? { start: items[0].number } : {})
  let at = 0
  while (at < items.length) {
    const item = h("li", {}, inline(items[at].lines.join("\n")))
    let end = at + 1
    while (end < items.length && items[end].depth > Math.max(top, items[at].depth)) end += 1
    if (end > at + 1) item.append(nested(items.slice(at + 1, end)))
    node.append(item)
    at = end
  }
  return node
}

function paragraph(lines, at) {
  let next = at + 1
  const starts = (line) => [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line))
  while (next < lines.length && lines[next].trim() && !starts(lines[next])) next += 1
  return [h("p", {}, inline(lines.slice(at, next).join("\n"))), next]
}
