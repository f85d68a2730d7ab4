// Where the page begins: which place is shown, the bar above, and the drawing of it all.

import { focusIfFree } from "./composer.js"
import { done } from "./doing.js"
import { h, icon, places } from "./dom.js"
import { connect } from "./feed.js"
import { Inspector } from "./inspector.js"
import { drawModal } from "./modal.js"
import { ChannelPane, ThreadPane } from "./panes.js"
import { drawRail } from "./rail.js"
import { changed, isWorking, messagesOf, onChange, placeOf, state, thread } from "./store.js"
import { choose, language, LANGUAGES, t } from "./words.js"

const $ = (id) => document.getElementById(id)
const at = {
  channel: "",
  thread: null,
  home: false,
  asked: null, // a question whose thread is shown when it has an answer
  inspector: sessionStorage.getItem("inspector") === "yes",
}

const moves = {
  go: ({ channel, thread = null, home = false }) => {
    at.asked = null
    location.hash = [channel, home ? "home" : thread].filter(Boolean).join("/")
    hideRail()
  },
  openThread: (ts) => moves.go({ channel: at.channel, thread: ts }),
  // A refusal stands in the channel: only what is answered leads to its thread.
  openWhenAnswered: (ts) => {
    at.asked = ts
    changed()
  },
  inspect: (ts) => {
    if (!at.inspector) moves.toggleInspector()
    moves.go({ channel: at.channel, thread: ts })
  },
  showRail: () => document.body.classList.add("rail-shown"),
  toggleInspector: () => {
    at.inspector = !at.inspector
    sessionStorage.setItem("inspector", at.inspector ? "yes" : "no")
    drawBar()
    changed()
  },
  redraw: changed,
}

const channelPane = new ChannelPane($("main"), moves)
const threadPane = new ThreadPane($("thread"), moves)
const inspector = new Inspector($("inspector"), moves)

// The place is in the address, so that a refresh and the browser's back button find it.
function locate() {
  const [channel, rest] = location.hash.slice(1).split("/")
  const known = state.channels.get(channel)
  const mine = known && (!known.is_im || known.user === state.me)
  at.channel = mine ? channel : (state.channels.keys().next().value ?? "")
  at.home = Boolean(mine && rest === "home")
  at.thread = mine && !at.home && messagesOf(channel).has(rest) ? rest : null
}

function draw() {
  if (!state.ready) return
  locate()
  const { channel, asked } = at
  if (asked && (isWorking(channel, asked) || thread(channel, asked).length > 1)) return moves.openThread(asked)
  document.body.classList.toggle("with-thread", Boolean(at.thread))
  drawBar()
  drawRail($("rail"), at, moves.go)
  channelPane.draw(at)
  threadPane.draw(at)
  if (!document.activeElement.checkVisibility()) {
    document.activeElement.blur() // its pane was closed, or another one covers it
    focusIfFree($(at.thread ? "thread" : "main"))
  }
  inspector.draw(at)
  drawModal($("modal"))
}

let bar = ""

function drawBar() {
  const { kind, model } = state.answerer
  const faults = state.faults.map(({ method, effect, left }) => {
    const called = method === "*" ? t("anyMethod") : method
    return `${called}: ${effect}${left > 1 ? ` × ${left}` : ""}`
  })
  const drawn = [language, kind, model, at.inspector, theme(), ...faults].join()
  if (drawn === bar) return
  bar = drawn
  const offline = kind === "offline"
  const languages = h(
    "select",
    { "aria-label": t("language"), "data-act": "language", onchange: (event) => speak(event.target.value) },
    Object.entries(LANGUAGES).map(([name, label]) => h("option", { value: name, lang: name }, label)),
  )
  languages.value = language
  const themes = h(
    "select",
    { "aria-label": t("theme"), "data-act": "theme", onchange: (event) => paint(event.target.value) },
    ["auto", "light", "dark"].map((name) => h("option", { value: name }, t(`themes.${name}`))),
  )
  themes.value = theme()
  const focused = $("bar").contains(document.activeElement) ? document.activeElement.dataset.act : null
  $("bar").replaceChildren(
    ...[
    h("h1", { class: "brand" }, t("title")),
    h(
      "span",
      { class: "answerer", title: t(offline ? "offlineHint" : "claudeHint") },
      h("span", { class: offline ? "dot pending" : "dot done" }),
      offline ? t("offline") : t("claude", { model }),
    ),
    faults.length > 0 &&
      h(
        "span",
        { class: "armed", role: "status" },
        t("armed", { faults: faults.join(", ") }),
        h(
          "button",
          {
            type: "button",
            class: "press small",
            "data-act": "disarm",
            onclick: () => done("clear_faults", {}, t("faultsCleared")),
          },
          t("clearFaults"),
        ),
      ),
    h(
      "div",
      { class: "bar-end" },
      languages,
      themes,
      h(
        "button",
        {
          type: "button",
          class: "quiet toggle",
          "data-act": "inspector",
          "aria-label": t("inspector"), // a phone shows only the icon
          "aria-pressed": String(at.inspector),
          onclick: moves.toggleInspector,
        },
        icon("code"),
        h("span", {}, t("inspector")),
      ),
    ),
    ].filter(Boolean),
  )
  if (focused) $("bar").querySelector(`[data-act="${focused}"]`)?.focus()
  document.title = t("title")
  document.documentElement.lang = language
  $("lost").textContent = t("lost")
  $("skip").textContent = t("skip")
}

function speak(name) {
  choose(name)
  changed()
}

const theme = () => localStorage.getItem("theme") ?? "auto"

function paint(name) {
  localStorage.setItem("theme", name)
  document.documentElement.dataset.theme = name
  changed()
}

const hideRail = () => document.body.classList.remove("rail-shown")

// The address names the place, so that the link must not change it.
$("skip").addEventListener("click", (event) => {
  event.preventDefault()
  const pane = $(at.thread ? "thread" : "main")
  ;(pane.querySelector("textarea") ?? pane.querySelector(".list")).focus()
})
places.of = placeOf
addEventListener("hashchange", changed)
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return
  if (document.body.classList.contains("rail-shown")) hideRail()
  else if (at.thread) moves.go({ channel: at.channel })
})
// On a narrow screen the rail covers the button that opened it: a touch beside it closes it.
addEventListener("pointerdown", (event) => {
  if (!$("rail").contains(event.target)) hideRail()
})
onChange(draw)
document.documentElement.dataset.theme = theme()
connect((on) => {
  $("lost").hidden = on
  $("lost").textContent = t("lost")
})
