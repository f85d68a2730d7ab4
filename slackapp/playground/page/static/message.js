// One message: who, when, what, and what can be done with it.

import { blocks } from "./blocks.js"
import { done, say } from "./doing.js"
import { h, iconButton, link } from "./dom.js"
import { fileCard } from "./files.js"
import { emoji, mrkdwnText } from "./inline.js"
import { openMenu } from "./menu.js"
import { nameOf, permalink, state, userOf } from "./store.js"
import { clock, day, t } from "./words.js"

const REACTIONS = ["newspaper", "white_check_mark", "+1", "eyes", "pray", "thinking_face", "x"]

export function avatar(id) {
  const user = userOf(id)
  const hue = [...(id || "?")].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6
  return h(
    "span",
    { class: user?.is_bot ? "avatar bot" : `avatar hue-${hue}`, "aria-hidden": "true" },
    [...nameOf(id)][0] ?? "?",
  )
}

export function messageNode(channel, message, place) {
  if (message.subtype === "tombstone")
    return h("article", { class: "message gone" }, h("p", { class: "soft" }, t("deleted")))
  const seconds = Number(message.ts)
  const isBot = Boolean(message.bot_id)
  return h(
    "article",
    { class: message.to ? "message whisper" : "message", "data-ts": message.ts },
    avatar(message.user),
    h(
      "div",
      { class: "message-body" },
      message.to && h("p", { class: "only-you" }, t("onlyYou")),
      h(
        "div",
        { class: "message-head" },
        h("span", { class: "author" }, nameOf(message.user)),
        isBot && h("span", { class: "badge" }, t("app")),
        h("time", { datetime: new Date(seconds * 1000).toISOString(), title: day(seconds) }, clock(seconds)),
        message.edited && !isBot && h("span", { class: "soft" }, t("edited")),
      ),
      content(channel, message),
      (message.attachments ?? []).map(attachment),
      (message.files ?? []).map(fileCard),
      reactions(channel, message),
      place.replies ? repliesButton(message, place) : null,
    ),
    message.to ? null : tools(channel, message, place),
  )
}

function content(channel, message) {
  if (message.blocks?.length)
    return blocks(message.blocks, (button, action, value) => press(button, channel, message, action, value))
  return message.text ? mrkdwnText(message.text) : []
}

// What an app attaches, a forwarded message, or a link's preview.
const attachment = ({ title, title_link, from_url, text, actions }) =>
  h(
    "blockquote",
    { class: "attachment" },
    title && link(title_link ?? from_url ?? "", title),
    text ? mrkdwnText(text) : [],
    (actions ?? []).filter(({ url }) => url).map(({ text, url }) => link(url, text)),
  )

async function press(button, channel, message, action, value) {
  const answer = await done("click", { channel, ts: message.ts, action_id: action, value })
  if (!answer.ok) return
  const was = button.getAttribute("aria-pressed") === "true" // a second press withdraws feedback
  for (const other of button.parentElement.querySelectorAll("[aria-pressed]"))
    other.setAttribute("aria-pressed", String(other === button && !was))
}

function repliesButton(message, place) {
  const label = t("replies", { count: place.replies })
  return h(
    "button",
    {
      type: "button",
      class: "link replies",
      "data-act": "replies",
      onclick: () => place.openThread(message.ts),
    },
    label,
  )
}

function reactions(channel, message) {
  if (!message.reactions?.length) return null
  const buttons = message.reactions.map(({ name, users }) => {
    const on = users.includes(state.me)
    const props = {
      type: "button",
      class: "reaction",
      "aria-pressed": String(on),
      "data-act": `reaction-${name}`,
      title: users.map(nameOf).join(", "),
    }
    return h(
      "button",
      { ...props, onclick: () => react(channel, message, name, !on) },
      `${emoji(name)} ${users.length}`,
    )
  })
  return h("div", { class: "reactions" }, buttons)
}

const react = (channel, message, name, on) => done("react", { channel, ts: message.ts, name, on })

function tools(channel, message, place) {
  const smile = iconButton("smile", t("react"), () => chooseReaction(smile, channel, message), {
    "data-act": "react",
  })
  const more = iconButton("more", t("more"), () => openMenu(more, choices(more, channel, message, place)), {
    "data-act": "more",
  })
  const reply =
    place.openThread &&
    iconButton("reply", t("reply"), () => place.openThread(message.thread_ts ?? message.ts), {
      "data-act": "reply",
    })
  return h("div", { class: "tools" }, smile, reply, more)
}

function chooseReaction(anchor, channel, message) {
  const choice = (name) => ({ label: emoji(name), name, run: () => react(channel, message, name, true) })
  openMenu(anchor, REACTIONS.map(choice), { look: "row" })
}

function choices(anchor, channel, message, place) {
  const root = message.thread_ts ?? message.ts
  const own = message.user === state.me
  return [
    { label: t("readLink"), hint: nameOf(state.bot), run: () => readLink(channel, message, root, place) },
    { label: t("react"), run: () => chooseReaction(anchor, channel, message) },
    place.openThread && { label: t("reply"), run: () => place.openThread(root) },
    { label: t("copyLink"), run: () => copyLink(channel, message) },
    { label: t("inspect"), run: () => place.inspect(root) },
    own && { label: t("remove"), run: () => done("delete", { channel, ts: message.ts }) },
  ].filter(Boolean)
}

async function copyLink(channel, message) {
  await navigator.clipboard.writeText(permalink(channel, message))
  say(t("copied"))
}

async function readLink(channel, message, root, place) {
  const answer = await done("shortcut", { channel, ts: message.ts })
  if (answer.ok) place.openThread?.(root)
}
