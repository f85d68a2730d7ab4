// Any JSON, folded: what is deeper than asked for opens on demand.

import { h } from "./dom.js"

const MOST = 300

export function tree(value, depth = 1, name = null) {
  const label = name === null ? [] : [h("span", { class: "key" }, name), ": "]
  if (value === null || typeof value !== "object") return h("div", { class: "leaf" }, label, leaf(value))
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value)
  const [start, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  if (!entries.length) return h("div", { class: "leaf" }, label, start + end)
  const details = h(
    "details",
    {},
    h("summary", {}, label, h("span", { class: "soft" }, `${start} ${entries.length} ${end}`)),
  )
  const fill = () => {
    if (details.childElementCount > 1) return
    details.append(...entries.slice(0, MOST).map(([key, item]) => tree(item, depth - 1, key)))
    if (entries.length > MOST) details.append(h("div", { class: "leaf soft" }, `… ${entries.length - MOST}`))
  }
  details.addEventListener("toggle", () => details.open && fill())
  if (depth > 0) {
    fill()
    details.open = true
  }
  return details
}

const leaf = (value) =>
  h(
    "span",
    { class: `of-${value === null ? "null" : typeof value}` },
    typeof value === "string" ? JSON.stringify(value) : String(value),
  )
