// For developers: what happened behind a question, and buttons that make trouble.

import { done } from "./doing.js"
import { h, iconButton, reconcile } from "./dom.js"
import { read } from "./feed.js"
import { nameOf, state } from "./store.js"
import { tree } from "./tree.js"
import { language, t } from "./words.js"

export class Inspector {
  constructor(node, moves) {
    this.node = node
    this.moves = moves
    this.shown = ""
    this.chosen = null
    this.all = false
    this.quiet = false
    this.method = "*"
  }

  draw(at) {
    this.node.hidden = !at.inspector
    if (!at.inspector) return
    const { paid, socket } = state.conditions
    const shown = [language, state.me, state.whitelist.has(state.me), paid, socket].join()
    if (shown !== this.shown) this.build()
    this.shown = shown
    this.drawRows(at)
  }

  build() {
    this.ofThread = h("option", { value: "thread" }, t("filterThread"))
    this.range = h(
      "select",
      {
        "aria-label": t("inspector"),
        "data-act": "range",
        onchange: (event) => this.filter({ all: event.target.value === "all" }),
      },
      this.ofThread,
      h("option", { value: "all" }, t("filterAll")),
    )
    const quiet = h("input", {
      type: "checkbox",
      onchange: (event) => this.filter({ quiet: event.target.checked }),
    })
    quiet.checked = this.quiet
    const heads = ["time", "kind", "name", "status", "seconds"].map((name) =>
      h("th", { scope: "col" }, t(`columns.${name}`)),
    )
    this.rows = h("tbody", {})
    this.empty = h("p", { class: "soft pad" }, t("entriesEmpty"))
    this.list = h(
      "div",
      { class: "entries" },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), this.rows),
      this.empty,
    )
    this.detail = h("div", { class: "detail", tabindex: "0" }, h("p", { class: "soft" }, t("choose")))
    this.node.setAttribute("aria-label", t("inspector"))
    this.node.replaceChildren(
      h(
        "header",
        { class: "pane-head" },
        h("h2", {}, t("inspector")),
        this.range,
        h("label", { class: "check" }, quiet, t("showQuiet")),
        iconButton("close", t("close"), () => this.moves.toggleInspector(), { class: "quiet end" }),
      ),
      this.controls(),
      h("div", { class: "inspector-body" }, this.list, this.detail),
    )
    if (this.chosen) this.show(this.chosen)
  }

  filter(change) {
    Object.assign(this, change)
    this.moves.redraw()
  }

  controls() {
    const method = h(
      "select",
      { "aria-label": t("nextCall"), onchange: (event) => (this.method = event.target.value) },
      h("option", { value: "*" }, t("anyMethod")),
      state.methods.map((name) => h("option", { value: name }, name)),
    )
    method.value = this.method
    const fail = (status) =>
      button(t("fail", { status }), `fail-${status}`, () =>
        done(
          "fail",
          { status, method: this.method },
          t("faultSet", { method: this.method === "*" ? t("anyMethod") : this.method, status }),
        ),
      )
    const refusal = h(
      "select",
      { "aria-label": t("refusals"), "data-act": "refusals", onchange: (event) => (this.error = event.target.value) },
      state.errors.map((name) => h("option", { value: name }, name)),
    )
    refusal.value = this.error ??= state.errors[0]
    const refuse = button(t("refuse"), "refuse", () =>
      done(
        "fail",
        { error: this.error, method: this.method },
        t("faultSet", { method: this.method === "*" ? t("anyMethod") : this.method, status: this.error }),
      ),
    )
    const listed = state.whitelist.has(state.me)
    const whitelist = button(t(listed ? "unlist" : "relist"), "whitelist", () =>
      done("list", { on: !listed }, t(listed ? "unlisted" : "relisted")),
    )
    return h(
      "div",
      { class: "controls" },
      h(
        "div",
        { class: "control", role: "group", "aria-label": t("faults") },
        h("span", { class: "soft" }, t("nextCall")),
        method,
        fail(429),
        fail(500),
        refusal,
        refuse,
        button(t("clearFaults"), "clear-faults", () => done("clear_faults", {}, t("faultsCleared"))),
      ),
      h(
        "div",
        { class: "control", role: "group", "aria-label": t("access", { name: nameOf(state.me) }) },
        h("span", { class: "soft" }, t("access", { name: nameOf(state.me) })),
        button(t("exhaust"), "exhaust", () =>
          done("exhaust", {}, ({ seconds }) => t("exhausted", { seconds })),
        ),
        whitelist,
      ),
      h(
        "div",
        { class: "control", role: "group", "aria-label": t("scenes") },
        h("span", { class: "soft" }, t("scenes")),
        ["shared", "group", "feed"].map((name) => button(t(`scene.${name}`), name, () => this.open(name))),
      ),
      this.conditions(),
    )
  }

  // How the local Slack behaves until it is switched back.
  conditions() {
    const { paid, socket } = state.conditions
    const sockets = socket ? ["off", "drop", "slow"] : ["on"]
    return h(
      "div",
      { class: "control", role: "group", "aria-label": t("conditions") },
      h("span", { class: "soft" }, t("conditions")),
      button(t("lateFile"), "late-file", () => done("late_file", {}, t("lateFileSet"))),
      button(t(paid ? "freePlan" : "paidPlan"), "plan", () => done("plan", { paid: !paid })),
      sockets.map((name) => button(t(`sockets.${name}`), `socket-${name}`, () => done("socket", { change: name }))),
    )
  }

  // A scene is opened, and shown.
  async open(name) {
    const answer = await done("scene", { name })
    if (answer.ok) this.moves.go({ channel: answer.channel })
  }

  drawRows(at) {
    const whole = this.all || !at.thread
    this.ofThread.disabled = !at.thread
    this.range.value = whole ? "all" : "thread"
    const seen = [...state.entries.values()]
      .filter(
        (entry) =>
          (whole || (entry.channel === at.channel && entry.thread === at.thread)) &&
          (this.quiet || !entry.quiet),
      )
      .sort((one, other) => one.began - other.began)
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 48
    reconcile(
      this.rows,
      seen.map((entry) => ({
        key: entry.number,
        version: entry.number === this.chosen,
        build: () => this.row(entry),
      })),
    )
    this.empty.hidden = seen.length > 0
    if (atEnd) this.list.scrollTop = this.list.scrollHeight
  }

  row(entry) {
    const name = h(
      "button",
      {
        type: "button",
        class: "link",
        "data-act": `entry-${entry.number}`,
        onclick: () => this.choose(entry.number),
      },
      entry.name,
    )
    return h(
      "tr",
      {
        class: entry.number === this.chosen ? "chosen" : "",
        "data-kind": entry.kind,
        onclick: () => this.choose(entry.number),
      },
      h("td", { class: "when" }, time(entry.began)),
      h("td", {}, h("span", { class: `kind ${entry.kind}` }, t(`kinds.${entry.kind}`))),
      h(
        "td",
        { class: "what" },
        name,
        entry.attempt ? h("span", { class: "badge" }, t("retryBadge", { count: entry.attempt })) : null,
        entry.label ? h("span", { class: "soft label" }, entry.label) : null,
      ),
      h(
        "td",
        { class: entry.error ? "bad" : "" },
        [entry.status || "", entry.error].filter(Boolean).join(" ") || "ok",
      ),
      h(
        "td",
        { class: "to-right" },
        entry.seconds ? `${Math.max(1, Math.round(entry.seconds * 1000))} ms` : "",
      ),
    )
  }

  choose(number) {
    if (this.chosen === number) return
    this.chosen = number
    this.moves.redraw()
    this.show(number)
  }

  async show(number) {
    const entry = state.entries.get(number)
    if (!entry) return
    let payload
    try {
      payload = await read(`/playground/entries/${number}`)
    } catch (error) {
      payload = { error: error.message }
    }
    if (this.chosen !== number) return
    const again = entry.again
      ? h(
          "div",
          { class: "actions" },
          button(t("deliverRetry"), "retry", () => done("retry", { number }, t("delivered"))),
          button(t("deliverTwice"), "twice", () => done("twice", { number }, t("delivered"))),
        )
      : null
    this.detail.replaceChildren(
      ...[
        h("h3", {}, entry.name),
        again,
        h("div", { class: "tree" }, tree(payload, 2)),
        h("p", { class: "soft" }, t("secretsHidden")),
      ].filter(Boolean),
    )
  }
}

const button = (label, name, onclick) =>
  h("button", { type: "button", class: "press small", "data-act": name, onclick }, label)

const time = (began) => {
  const moment = new Date(began * 1000)
  return `${moment.toLocaleTimeString("ja", { hour12: false })}.${String(moment.getMilliseconds()).padStart(3, "0")}`
}
