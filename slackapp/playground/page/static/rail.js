// The list of channels, and which person looks at them.

import { h } from "./dom.js"
import { become, botName, directOf, people, state } from "./store.js"
import { language, t } from "./words.js"

export function drawRail(rail, at, go) {
  const shown = [language, state.me, state.team, at.channel, at.home, ...state.channels.keys()].join()
  if (shown === rail.shown) return // an open list of choices must not close because a message came
  rail.shown = shown
  const item = (id, label, here, extra = null) =>
    h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: here ? "place here" : "place",
          "aria-current": here ? "page" : null,
          "data-act": `go-${id}`,
          onclick: () => go({ channel: id }),
        },
        label,
        extra,
      ),
    )
  const open = [...state.channels.values()].filter((channel) => !channel.is_im)
  const direct = directOf(state.me)
  const person = h(
    "select",
    { "aria-label": t("you"), onchange: (event) => moveIn(event.target.value, at, go) },
    people().map((user) => h("option", { value: user.id }, user.real_name)),
  )
  person.value = state.me
  const nodes = [
    h("div", { class: "team" }, state.team),
    h("label", { class: "you" }, h("span", { class: "soft" }, t("you")), person),
    h("h2", {}, t("channels")),
    h(
      "ul",
      {},
      open.map((channel) => item(channel.id, `# ${channel.name}`, at.channel === channel.id && !at.home)),
    ),
    h("h2", {}, t("directs")),
    h(
      "ul",
      {},
      direct &&
        item(
          direct.id,
          botName(),
          at.channel === direct.id && !at.home,
          h("span", { class: "badge" }, t("app")),
        ),
    ),
    h("p", { class: "soft tagline" }, t("tagline")),
  ]
  const focused = rail.contains(document.activeElement) ? document.activeElement.dataset.act : null
  rail.replaceChildren(...nodes)
  rail.setAttribute("aria-label", t("menu"))
  if (focused) rail.querySelector(`[data-act="${CSS.escape(focused)}"]`)?.focus()
}

// Another person looks: they do not see the direct conversations of the one before.
function moveIn(user, at, go) {
  const private_ = state.channels.get(at.channel)?.is_im
  become(user)
  go(private_ ? { channel: directOf(user)?.id } : { channel: at.channel, thread: at.thread })
}
