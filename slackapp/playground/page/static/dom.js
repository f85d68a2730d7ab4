// Builds DOM nodes. Text is always text: nothing on this page is ever parsed as HTML.

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) set(node, name, value)
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  )
  return node
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value)
  else if (name === "class") node.className = value
  else if (name === "value") node.value = value
  else node.setAttribute(name, value === true ? "" : value)
}

const PATHS = {
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  code: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  down: "M12 4v12M7 11l5 5 5-5M5 20h14",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  list: "M4 6h16M4 12h16M4 18h10",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  reply: "M4 5h16v11H10l-4 4v-4H4z",
  send: "M4 12l16-7-6 15-3-6z",
  smile: "M12 21a9 9 0 100-18 9 9 0 000 18zM8.5 14.5c1.8 2 5.2 2 7 0M9 9.5h.01M15 9.5h.01",
  stop: "M7 7h10v10H7z",
}

export function icon(name) {
  const space = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(space, "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("class", "icon")
  svg.setAttribute("aria-hidden", "true")
  const path = document.createElementNS(space, "path")
  path.setAttribute("d", PATHS[name])
  if (name === "more") path.setAttribute("stroke-width", "3")
  svg.append(path)
  return svg
}

export function iconButton(name, label, onclick, props = {}) {
  return h(
    "button",
    { type: "button", class: "quiet", "aria-label": label, title: label, onclick, ...props },
    icon(name),
  )
}

// Only the web is linked to. A page of the sample site has no address outside, so its copy here is opened. A link
// to a message leads to it here: `places` says where.
export const places = { of: () => "" }

export function link(url, text) {
  const place = places.of(url)
  if (place) return h("a", { href: place, title: url }, text || url)
  if (!/^https?:\/\//i.test(url)) return document.createTextNode(text || url)
  const sample = /^http:\/\/([a-z]+\.sample)(\/[^?#]*)?/i.exec(url)
  const href = sample ? `/sample/${sample[1]}${sample[2] || "/"}` : url
  return h("a", { href, title: url, target: "_blank", rel: "noopener noreferrer" }, text || url)
}

// Gives a list of keyed items to a parent and keeps the nodes of those that have not changed.
export function reconcile(parent, items) {
  const known = parent.known ?? (parent.known = new Map())
  const kept = new Map()
  let place = parent.firstChild
  for (const { key, version, build } of items) {
    const before = known.get(key)
    const same = before && before.version === version
    const node = same ? before.node : build()
    if (before && !same)
      replaceKeepingFocus(before.node, node, (next) => {
        if (place === before.node) place = next
      })
    if (place === node) place = node.nextSibling
    else parent.insertBefore(node, place)
    kept.set(key, { version, node })
  }
  for (const [key, { node }] of known) if (!kept.has(key)) node.remove()
  parent.known = kept
}

function replaceKeepingFocus(old, fresh, moved) {
  const focused = old.contains(document.activeElement) ? document.activeElement.dataset.act : null
  old.replaceWith(fresh)
  moved(fresh)
  if (focused) fresh.querySelector(`[data-act="${CSS.escape(focused)}"]`)?.focus()
}
