// Slack's own text format (mrkdwn), and what it has in common with Markdown blocks: mentions, links, emoji.

import { h, link } from "./dom.js"
import { nameOf, state, userOf } from "./store.js"
import { day } from "./words.js"

export const EMOJI = {
  x: "❌",
  white_check_mark: "✅",
  "+1": "👍",
  thumbsup: "👍",
  "-1": "👎",
  eyes: "👀",
  pray: "🙏",
  bow: "🙇",
  tada: "🎉",
  heart: "❤️",
  thinking_face: "🤔",
  warning: "⚠️",
  memo: "📝",
  newspaper: "📰",
  no_entry: "⛔",
  bulb: "💡",
  heavy_multiplication_x: "✖️",
  negative_squared_cross_mark: "❎",
}

export const emoji = (name) => EMOJI[name] ?? `:${name}:`

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" }
export const unescape = (text) => text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity])

export const mention = (label, isMe) => h("span", { class: isMe ? "mention mention-me" : "mention" }, label)

export const mentionUser = (id) => mention(`@${userOf(id) ? nameOf(id) : id}`, id === state.me)

const broadcast = (range) => mention(`@${range}`, true)

export const mentionChannel = (id, label) => mention(`#${state.channels.get(id)?.name ?? label ?? id}`)

// `!date^timestamp^tokens^link`: docs.slack.dev, "Formatting text for app surfaces". All tokens show day and time.
function date(target, fallback) {
  const [, seconds, , url] = target.split("^")
  const shown = /^\d+$/.test(seconds) ? day(Number(seconds)) : fallback
  return url ? link(url, shown) : document.createTextNode(shown)
}

// What stands between angle brackets.
export function bracketed(inside) {
  const [target, label] = inside.split(/\|(.*)/s)
  if (target.startsWith("@")) return mentionUser(target.slice(1))
  if (target.startsWith("#")) return mentionChannel(target.slice(1), label)
  if (target.startsWith("!date^")) return date(unescape(target), unescape(label ?? ""))
  if (target.startsWith("!")) return broadcast(target.slice(1).split("^")[0])
  const url = unescape(target)
  return link(url, unescape(label || target))
}

const TOKENS = [
  { pattern: /```\n?([\s\S]+?)```/, build: (found) => h("pre", {}, unescape(found[1])) },
  { pattern: /`([^`\n]+)`/, build: (found) => h("code", {}, unescape(found[1])) },
  { pattern: /<([^<>\s][^<>]*)>/, build: (found) => bracketed(found[1]) },
  {
    pattern: /(?<![\w*])\*(?=\S)([^*\n]*[^*\s])\*(?![\w*])/,
    build: (found) => h("strong", {}, mrkdwn(found[1])),
  },
  { pattern: /(?<![\w])_(?=\S)([^_\n]*[^_\s])_(?![\w])/, build: (found) => h("em", {}, mrkdwn(found[1])) },
  { pattern: /(?<![\w~])~(?=\S)([^~\n]*[^~\s])~(?![\w~])/, build: (found) => h("s", {}, mrkdwn(found[1])) },
  { pattern: /:([a-z0-9_+-]+):/, build: (found) => document.createTextNode(emoji(found[1])) },
]

// Nodes for a line or more; what comes first wins, and nothing is looked at twice.
export function inlined(text, tokens) {
  const nodes = []
  let rest = text
  while (rest) {
    const found = earliest(rest, tokens)
    if (!found) break
    if (found.index) nodes.push(unescape(rest.slice(0, found.index)))
    nodes.push(found.token.build(found.match))
    rest = rest.slice(found.index + found.match[0].length)
  }
  if (rest) nodes.push(unescape(rest))
  return nodes
}

function earliest(text, tokens) {
  let best = null
  for (const token of tokens) {
    const match = token.pattern.exec(text)
    if (match && (!best || match.index < best.index)) best = { token, match, index: match.index }
  }
  return best
}

export const mrkdwn = (text) => inlined(text, TOKENS)

// A whole text: quoted lines stand in a quotation, the rest keeps its line breaks.
export function mrkdwnText(text) {
  const parts = []
  for (const line of text.split("\n")) {
    const quoted = /^(?:>|&gt;)\s?/.exec(line)
    const kind = quoted ? "blockquote" : "div"
    const inside = quoted ? line.slice(quoted[0].length) : line
    const last = parts.at(-1)
    if (last?.kind === kind || (last && fenceIsOpen(last.lines))) last.lines.push(inside)
    else parts.push({ kind, lines: [inside] })
  }
  return parts.map(({ kind, lines }) => h(kind, { class: "text" }, mrkdwn(lines.join("\n"))))
}

const fenceIsOpen = (lines) => lines.join("\n").split("```").length % 2 === 0
