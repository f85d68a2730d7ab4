// A list of messages: it keeps its end in view, and draws again only what has changed.

import { h, reconcile } from "./dom.js"

const NEAR = 96

// A list of messages that stays at its end if it was there, also when messages come and when it is resized.
export function messageList(label) {
  const list = h("div", { class: "list", role: "log", "aria-label": label, tabindex: "0" })
  list.atEnd = true
  list.addEventListener(
    "scroll",
    () => (list.atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR),
    { passive: true },
  )
  new ResizeObserver(() => toEnd(list)).observe(list)
  return list
}

function toEnd(list) {
  if (list.atEnd && !list.querySelector(".welcome")) list.scrollTop = list.scrollHeight
}

export function fill(list, items) {
  reconcile(list, items)
  toEnd(list)
}

// A message's object changes when the message does; what else it shows are facts that are compared.
export function versions() {
  const known = new WeakMap()
  return (message, ...facts) => {
    const now = facts.join("/")
    if (known.get(message)?.now !== now) known.set(message, { now })
    return known.get(message)
  }
}
