// The box to write in: mentions and commands complete themselves, Enter sends, a Japanese input method is left alone.

import { done, say } from "./doing.js"
import { h, iconButton } from "./dom.js"
import { openMenu } from "./menu.js"
import { botName, people, state } from "./store.js"
import { language, t } from "./words.js"

const drafts = new Map()
let numbers = 0

const draftOf = ({ channel, thread }) => `${state.me}/${channel}/${thread ?? ""}`

// `where` says at any time { channel, thread, direct }; `sent` hears the timestamp of what was said.
export function composer(where, sent, label) {
  const id = `completion-${(numbers += 1)}`
  const list = h("ul", { class: "completion", role: "listbox", id, hidden: true })
  const box = h("textarea", {
    rows: "1",
    "aria-label": label(),
    placeholder: label(),
    "aria-controls": id,
    "aria-autocomplete": "list",
  })
  const completion = new Completion(box, list, where)
  const tray = new Tray()
  const submit = () => send(box, tray, where(), sent)
  box.value = drafts.get(draftOf(where())) ?? ""
  requestAnimationFrame(() => grow(box)) // it has a height once it stands on the page
  box.addEventListener("input", () => {
    drafts.set(draftOf(where()), box.value)
    grow(box)
    completion.look()
  })
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return // an input method is choosing characters
    if (completion.key(event)) return
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      submit()
    }
  })
  box.addEventListener("blur", () => completion.close())
  const at = h(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-label": t("mention"),
      title: t("mention"),
      onclick: () => completion.begin(),
    },
    "@",
  )
  const examples = h(
    "button",
    { type: "button", class: "quiet", "data-act": "examples", onclick: () => openMenu(examples, exampleChoices(where, sent), { before: form }) },
    t("examples"),
  )
  const form = h(
    "form",
    {
      class: "composer",
      onsubmit: (event) => (event.preventDefault(), submit()),
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => (event.preventDefault(), tray.add(event.dataTransfer.files)),
      onpaste: (event) => tray.add(event.clipboardData.files),
    },
    list,
    box,
    tray.node,
    h(
      "div",
      { class: "composer-acts" },
      tray.button,
      at,
      where().thread ? null : examples,
      h("span", { class: "soft hint" }, t("hint")),
      iconButton("send", t("send"), submit, { class: "send" }),
    ),
  )
  return form
}

// Where the keyboard is in nothing else's hands, it writes; a touch screen would show its keys at once.
export function focusIfFree(place) {
  if (document.activeElement === document.body && matchMedia("(hover: hover)").matches)
    place?.querySelector("textarea")?.focus()
}

function grow(box) {
  box.style.height = "auto"
  box.style.height = `${Math.min(box.scrollHeight, 240)}px`
}

// What is sent leaves the box at once, so that a second Enter sends nothing; what failed comes back.
async function send(box, tray, place, sent) {
  const text = box.value.trim()
  const why = unsendable(tray.files)
  if (why) return say(why)
  const files = tray.take()
  if (!text && !files.length) return
  write(box, place, "")
  const answer = await said(text, place, await Promise.all(files.map(encoded)))
  if (answer.ts) sent(answer.ts, text)
  if (answer.ok) return
  tray.add(files)
  if (!box.value) write(box, place, text)
}

const MOST_FILES = 10 // of a message, as in Slack
const MOST_BYTES = 45 << 20 // of all together: the server's limit is 64 MB, and Base64 adds a third

function unsendable(files) {
  const empty = files.find((file) => !file.size)
  if (empty) return t("emptyFile", { name: empty.name })
  if (files.length > MOST_FILES) return t("tooManyFiles", { most: MOST_FILES })
  if (files.reduce((sum, file) => sum + file.size, 0) > MOST_BYTES) return t("tooLargeFiles")
  return ""
}

async function encoded(file) {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ""
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return { name: file.name, content: btoa(text) }
}

// The files that go with the next message.
class Tray {
  constructor() {
    this.files = []
    this.node = h("ul", { class: "tray", hidden: true })
    this.input = h("input", {
      type: "file",
      multiple: true,
      hidden: true,
      onchange: () => {
        this.add(this.input.files)
        this.input.value = ""
      },
    })
    this.button = h(
      "span",
      {},
      this.input,
      iconButton("file", t("attach"), () => this.input.click(), { class: "quiet" }),
    )
  }

  add(files) {
    this.files.push(...files)
    this.show()
  }

  take() {
    const files = this.files
    this.files = []
    this.show()
    return files
  }

  show() {
    this.node.hidden = !this.files.length
    this.node.replaceChildren(
      ...this.files.map((file) =>
        h(
          "li",
          {},
          h("span", { class: "file-name" }, file.name),
          iconButton("close", t("detach", { name: file.name }), () => this.drop(file), { class: "quiet" }),
        ),
      ),
    )
  }

  drop(file) {
    this.files = this.files.filter((other) => other !== file)
    this.show()
  }
}

function write(box, place, text) {
  box.value = text
  drafts.set(draftOf(place), text)
  grow(box)
}

function said(text, { channel, thread }, files) {
  const command = /^(\/\S+)\s*([\s\S]*)$/.exec(text)
  if (!command) return done("say", { channel, text, thread_ts: thread ?? "", files })
  if (thread) return refused(t("noCommandInThread"))
  if (command[1] !== state.command)
    return refused(t("unknownCommand", { command: command[1], known: state.command }))
  return done("command", { channel, command: command[1], text: command[2] })
}

async function refused(why) {
  say(why)
  return { ok: false }
}

export function ask(prompt, place, sent) {
  const question = `${prompt.url} ${prompt[language].text}`.trim()
  const text = place.direct ? question : `@${botName()} ${question}`
  return done("say", { channel: place.channel, text, thread_ts: "" }).then(
    (answer) => answer.ok && sent(answer.ts, text),
  )
}

// A question without a link is answered by a search.
export const leadsTo = (prompt) => (prompt.url ? new URL(prompt.url).host : t("searched"))

const exampleChoices = (where, sent) =>
  state.prompts.map((prompt) => ({
    label: prompt[language].title,
    proves: prompt[language].proves,
    hint: leadsTo(prompt),
    run: () => ask(prompt, where(), sent),
  }))

class Completion {
  constructor(box, list, where) {
    this.box = box
    this.list = list
    this.where = where
    this.found = []
    this.at = 0
  }

  begin() {
    const { box } = this
    box.focus()
    const before = box.value.slice(0, box.selectionStart)
    box.setRangeText(/(^|\s)$/.test(before) ? "@" : " @", box.selectionStart, box.selectionEnd, "end")
    this.look()
  }

  look() {
    const before = this.box.value.slice(0, this.box.selectionStart)
    const name = /(?:^|[\s\u3000])[@＠]([^\s@＠]*)$/.exec(before)
    const command = this.where().thread ? null : /^[/／](\S*)$/.exec(before)
    this.found = name ? matching(name[1]) : command ? commands(command[1]) : []
    this.typed = (name ?? command)?.[1].length ?? 0
    this.at = 0
    this.draw()
  }

  draw() {
    const items = this.found.map((choice, index) =>
      h(
        "li",
        {
          role: "option",
          id: `${this.list.id}-${index}`,
          "aria-selected": String(index === this.at),
          onpointerdown: (event) => (event.preventDefault(), this.choose(index)),
        },
        h("span", {}, choice.label),
        h("span", { class: "soft" }, choice.hint),
      ),
    )
    this.list.replaceChildren(...items)
    this.list.hidden = !items.length
    if (items.length) this.box.setAttribute("aria-activedescendant", items[this.at].id)
    else this.box.removeAttribute("aria-activedescendant")
  }

  // True when the key was for the list.
  key(event) {
    if (!this.found.length) return false
    const keys = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      Enter: () => this.choose(this.at),
      Tab: () => this.choose(this.at),
      Escape: () => this.close(),
    }
    if (!(event.key in keys)) return false
    event.preventDefault()
    keys[event.key]()
    return true
  }

  move(step) {
    this.at = (this.at + step + this.found.length) % this.found.length
    this.draw()
  }

  choose(index) {
    const end = this.box.selectionStart
    this.box.setRangeText(`${this.found[index].text} `, end - this.typed - 1, end, "end")
    this.box.dispatchEvent(new Event("input"))
    this.close()
    this.box.focus()
  }

  close() {
    this.found = []
    this.draw()
  }
}

function matching(typed) {
  const wanted = typed.toLowerCase()
  const bot = { label: botName(), hint: t("app"), text: `@${botName()}`, names: [botName(), "webreader"] }
  const others = people().map((user) => ({
    label: user.real_name,
    hint: `@${user.name}`,
    text: `@${user.name}`,
    names: [user.real_name, user.name],
  }))
  const special = { label: "@here", hint: t("everyone"), text: "@here", names: ["here"] }
  return [bot, ...others, special].filter((choice) =>
    choice.names.some((name) => name.toLowerCase().startsWith(wanted)),
  )
}

const commands = (typed) =>
  state.command.slice(1).startsWith(typed.toLowerCase())
    ? [{ label: state.command, hint: t("commandUse"), text: state.command }]
    : []
