// A small list of choices beside a button; arrows move, Escape and a click elsewhere close.

import { h } from "./dom.js"

let current = null

export function closeMenu() {
  current?.remove()
  current = null
}

// `before` gives the menu a place of its own in the page, so that it covers nothing.
export function openMenu(anchor, choices, { look = "", before = null } = {}) {
  closeMenu()
  const items = choices.map(({ label, proves, hint, name, run }) =>
    h(
      "button",
      { type: "button", role: "menuitem", "aria-label": name, onclick: () => pick(anchor, run) },
      h("span", {}, label, proves && h("span", { class: "soft proves" }, proves)),
      hint && h("span", { class: "soft" }, hint),
    ),
  )
  const menu = h("div", { class: `menu ${before ? "inline" : look}`.trim(), role: "menu" }, items)
  menu.addEventListener("keydown", (event) => move(event, anchor, items))
  if (before) before.before(menu)
  else {
    document.body.append(menu)
    place(menu, anchor)
  }
  current = menu
  items[0]?.focus()
}

function pick(anchor, run) {
  closeMenu()
  anchor.focus()
  run()
}

function place(menu, anchor) {
  const box = anchor.getBoundingClientRect()
  const below = box.bottom + 4 + menu.offsetHeight <= innerHeight
  const top = below ? box.bottom + 4 : Math.max(8, box.top - menu.offsetHeight - 4)
  const left = Math.min(Math.max(8, box.right - menu.offsetWidth), innerWidth - menu.offsetWidth - 8)
  menu.style.top = `${top}px`
  menu.style.left = `${Math.max(8, left)}px`
}

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

function move(event, anchor, items) {
  const at = items.indexOf(document.activeElement)
  if (event.key in STEPS) items[(at + STEPS[event.key] + items.length) % items.length].focus()
  else if (event.key === "Escape" || event.key === "Tab") {
    closeMenu()
    anchor.focus()
  } else return
  event.preventDefault()
}

document.addEventListener("pointerdown", (event) => {
  if (current && !current.contains(event.target)) closeMenu()
})
