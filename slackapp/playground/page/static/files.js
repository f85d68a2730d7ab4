// Files under a message: a card, a look inside, and a way to keep it.

import { h, icon } from "./dom.js"
import { read } from "./feed.js"
import { tree } from "./tree.js"
import { t } from "./words.js"

const open = new Set()
const contents = new Map()

const size = (bytes) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} KB`
      : `${(bytes / 1048576).toFixed(1)} MB`

export function fileCard(file) {
  const inside = h("div", { class: "preview" })
  const toggle = h("button", {
    type: "button",
    class: "link",
    "data-act": `preview-${file.id}`,
    onclick: () => flip(file, toggle, inside),
  })
  const card = h(
    "div",
    { class: "file" },
    h(
      "div",
      { class: "file-head" },
      icon("file"),
      h("span", { class: "file-name" }, file.name),
      h("span", { class: "soft" }, size(file.size)),
    ),
    h(
      "div",
      { class: "file-acts" },
      toggle,
      h(
        "a",
        { class: "link", href: `/playground/files/${encodeURIComponent(file.id)}`, download: file.name },
        t("download"),
      ),
    ),
    inside,
  )
  show(file, toggle, inside)
  return card
}

function flip(file, toggle, inside) {
  if (!open.delete(file.id)) open.add(file.id)
  show(file, toggle, inside).then(() => inside.scrollIntoView({ block: "nearest" }))
}

async function show(file, toggle, inside) {
  const shown = open.has(file.id)
  toggle.textContent = t(shown ? "hidePreview" : "preview")
  toggle.setAttribute("aria-expanded", String(shown))
  inside.hidden = !shown
  if (!shown || inside.firstChild) return
  try {
    if (!contents.has(file.id))
      contents.set(file.id, await read(`/playground/previews/${encodeURIComponent(file.id)}`))
    inside.replaceChildren(...KINDS[contents.get(file.id).kind](contents.get(file.id)))
  } catch (error) {
    inside.replaceChildren(h("p", { class: "soft" }, t("failed", { error: error.message })))
  }
}

const KINDS = {
  table: ({ rows, cut }) => {
    const [head = [], ...rest] = rows
    const body = rest.map((row) =>
      h(
        "tr",
        {},
        row.map((cell) => h("td", {}, cell)),
      ),
    )
    const table = h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((cell) => h("th", { scope: "col" }, cell)),
        ),
      ),
      h("tbody", {}, body),
    )
    return [
      h("div", { class: "scroll", tabindex: "0", role: "group" }, table),
      note(cut, "cutRows", rest.length),
    ].filter(Boolean)
  },
  json: ({ text }) => [h("div", { class: "tree" }, tree(JSON.parse(text), 1))],
  text: ({ text, cut }) => [h("pre", {}, text), note(cut, "cutText", 0)].filter(Boolean),
}

const note = (cut, word, count) => cut && h("p", { class: "soft" }, t(word, { count }))
