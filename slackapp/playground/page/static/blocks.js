// Block Kit as Slack shows it. A block that is not known here is named, never dropped.

import { h, link } from "./dom.js"
import { emoji, mention, mentionChannel, mentionUser, mrkdwn, mrkdwnText } from "./inline.js"
import { markdown } from "./markdown.js"
import { t } from "./words.js"

const actions = (block, press) =>
  h(
    "div",
    { class: "actions" },
    block.elements.map((element) => control(element, press)),
  )

const BLOCKS = {
  actions,
  context: (block) =>
    h(
      "div",
      { class: "context" },
      block.elements.map((element) =>
        h("span", {}, element.type === "image" ? element.alt_text : words(element)),
      ),
    ),
  container: (block, press) =>
    h(
      "details",
      { class: "container", open: !(block.is_collapsible && block.default_collapsed) },
      h("summary", {}, block.title.text),
      blocks(block.child_blocks, press),
    ),
  context_actions: actions,
  divider: () => h("hr"),
  header: (block) => h("h2", { class: "header" }, block.text.text),
  image: (block) => h("p", { class: "soft" }, block.alt_text),
  markdown: (block) => h("div", { class: "markdown" }, markdown(block.text)),
  plan: (block) =>
    h("div", { class: "plan" }, h("p", { class: "plan-title" }, block.title), block.tasks.map(task)),
  rich_text: (block) => h("div", { class: "rich" }, block.elements.map(richPart)),
  section,
  table,
  task_card: task,
}

const unknown = (type, tag = "p") => h(tag, { class: "unknown" }, t("unknownBlock", { type: String(type) }))

export function blocks(list, press) {
  return list.map((block) => {
    try {
      return BLOCKS[block.type]?.(block, press) ?? unknown(block.type)
    } catch (error) {
      if (error instanceof TypeError) return unknown(block.type) // a block without what its kind must have
      throw error
    }
  })
}

const words = (text) => (text.type === "mrkdwn" ? mrkdwn(text.text) : [text.text])

function section(block, press) {
  const text =
    block.text &&
    (block.text.type === "mrkdwn"
      ? mrkdwnText(block.text.text)
      : h("div", { class: "text" }, block.text.text))
  const fields =
    block.fields &&
    h(
      "div",
      { class: "fields" },
      block.fields.map((field) => h("div", { class: "text" }, words(field))),
    )
  return h(
    "div",
    { class: "section" },
    h("div", {}, text, fields),
    block.accessory && control(block.accessory, press),
  )
}

function control(element, press) {
  if (element.type === "feedback_buttons") {
    return [element.positive_button, element.negative_button].map((button) =>
      pressable(button.text.text, element.action_id, button.value, press, "feedback"),
    )
  }
  if (element.type === "button")
    return pressable(element.text.text, element.action_id, element.value ?? "", press, element.style)
  return unknown(element.type, "span")
}

function pressable(label, action, value, press, look = "") {
  const props = {
    type: "button",
    class: `press ${look}`.trim(),
    "data-act": `press-${action}-${value}`,
    "aria-pressed": look === "feedback" ? "false" : null, // others are no toggles
  }
  return h("button", { ...props, onclick: (event) => press(event.currentTarget, action, value) }, label)
}

const STATES = { pending: "pending", in_progress: "busy", complete: "done", error: "bad" }

function task(card) {
  const sources = (card.sources ?? []).map((source) => link(source.url, source.text))
  return h(
    "div",
    { class: `task ${STATES[card.status] ?? "pending"}` },
    h("span", { class: "dot" }),
    h("span", {}, card.title),
    sources.length ? h("span", { class: "soft" }, sources) : null,
  )
}

const RICH = {
  rich_text_section: (part) => h("div", { class: "text" }, pieces(part)),
  rich_text_quote: (part) => h("blockquote", { class: "text" }, pieces(part)),
  rich_text_preformatted: (part) => h("pre", {}, pieces(part)),
  rich_text_list: (part) => richList(part),
}

function richPart(part) {
  const shown = RICH[part.type]?.(part) ?? unknown(part.type)
  return part.border ? h("div", { class: "bordered" }, shown) : shown
}

function richList(part) {
  const ordered = part.style === "ordered"
  const props = { class: `indent-${Math.min(part.indent ?? 0, 8)}` }
  if (ordered && part.offset) props.start = part.offset + 1
  return h(
    ordered ? "ol" : "ul",
    props,
    part.elements.map((item) => h("li", {}, item.elements ? pieces(item) : richPart(item))),
  )
}

const PIECES = {
  text: (piece) => piece.text,
  link: (piece) => link(piece.url, piece.text),
  user: (piece) => mentionUser(piece.user_id),
  channel: (piece) => mentionChannel(piece.channel_id),
  usergroup: (piece) => mention(`@${piece.usergroup_id}`),
  broadcast: (piece) => mention(`@${piece.range}`, true),
  emoji: (piece) => emoji(piece.name),
  color: (piece) => piece.value,
  date: (piece) => piece.fallback ?? new Date(piece.timestamp * 1000).toLocaleString(),
}
const STYLES = { code: "code", bold: "strong", italic: "em", strike: "s" }

const pieces = (part) => part.elements.map(piece)

function piece(element) {
  let node = PIECES[element.type]?.(element) ?? t("unknownBlock", { type: String(element.type) })
  for (const [style, tag] of Object.entries(STYLES)) if (element.style?.[style]) node = h(tag, {}, node)
  return node
}

function table(block) {
  const align = (index) => `to-${block.column_settings?.[index]?.align ?? "left"}`
  const cell = (content, index, tag) =>
    h(
      tag,
      { class: align(index) },
      content.type === "rich_text" ? content.elements.map(richPart) : content.text,
    )
  const row = (cells, tag) =>
    h(
      "tr",
      {},
      cells.map((content, index) => cell(content, index, tag)),
    )
  const [head, ...rest] = block.rows
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "group" },
    h(
      "table",
      {},
      h("thead", {}, row(head, "th")),
      h(
        "tbody",
        {},
        rest.map((cells) => row(cells, "td")),
      ),
    ),
  )
}
