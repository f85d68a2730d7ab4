// The two panes beside the rail: a channel or the app's home, and a thread.

import { blocks } from "./blocks.js"
import { ask, composer, focusIfFree, leadsTo } from "./composer.js"
import { done } from "./doing.js"
import { h, icon, iconButton, reconcile } from "./dom.js"
import { fill, messageList, versions } from "./list.js"
import { messageNode } from "./message.js"
import { botName, isWorking, state, thread, timeline, titleOf } from "./store.js"
import { language, t } from "./words.js"

// A head, a list of messages and a box: built anew for another place, language or person.
class Pane {
  constructor(node, moves) {
    this.node = node
    this.moves = moves
    this.version = versions()
    this.shown = ""
  }

  buildOnce(at, place) {
    const shown = [place, language, state.me].join()
    if (shown !== this.shown) this.build(at, state.channels.get(at.channel))
    this.shown = shown
  }
}

export class ChannelPane extends Pane {
  draw(at) {
    const channel = state.channels.get(at.channel)
    this.buildOnce(at, [at.channel, at.home])
    if (at.home) this.drawHome()
    else this.drawMessages(at, channel)
  }

  build(at, channel) {
    const direct = channel.is_im
    const name = direct ? botName() : `# ${channel.name}`
    const tab = (label, home) =>
      h(
        "button",
        {
          type: "button",
          class: "tab",
          "aria-pressed": String(Boolean(at.home) === home),
          onclick: () => this.moves.go({ channel: channel.id, home }),
        },
        label,
      )
    const head = h(
      "header",
      { class: "pane-head" },
      iconButton("list", t("menu"), () => this.moves.showRail(), { class: "quiet narrow-only" }),
      h("h1", {}, name),
      direct
        ? h("div", { class: "tabs" }, tab(t("messages"), false), tab(t("home"), true))
        : h("span", { class: "soft topic" }, channel.topic),
    )
    this.list = messageList(name)
    this.suggested = h("div", { class: "suggested", hidden: true })
    if (direct) done("home", { tab: at.home ? "home" : "messages" }) // Slack tells the app that its tab is open
    this.askedOf = state.homes
    const where = () => ({ channel: at.channel, direct })
    const box = at.home
      ? null
      : composer(
          where,
          (ts, text) => this.sent(ts, text, direct),
          () => t("messageTo", { place: name }),
        )
    this.node.replaceChildren(head, this.suggested, this.list, ...(box ? [box] : []))
    focusIfFree(box)
  }

  // The app's own prompts, at the top of its Messages tab.
  drawSuggested(at, direct) {
    const shown = direct ? state.suggested.get(at.channel) : null
    if (this.suggested.shown === shown) return
    this.suggested.shown = shown
    this.suggested.hidden = !shown
    const ask = (text) =>
      done("say", { channel: at.channel, text, thread_ts: "" }).then(
        (answer) => answer.ok && this.sent(answer.ts, text, direct),
      )
    const buttons = (shown?.prompts ?? []).map((prompt) =>
      h(
        "button",
        { type: "button", class: "press small", title: prompt.message, onclick: () => ask(prompt.message) },
        prompt.title,
      ),
    )
    this.suggested.replaceChildren(h("span", { class: "soft" }, shown?.title ?? ""), ...buttons)
  }

  // A question is answered in its thread, so that is where the asker looks.
  sent(ts, text, direct) {
    this.list.scrollTop = this.list.scrollHeight
    if (direct || text.includes(`@${botName()}`)) this.moves.openWhenAnswered(ts)
  }

  drawMessages(at, channel) {
    this.drawSuggested(at, channel.is_im)
    const { messages, replies } = timeline(at.channel)
    const items = messages.map((message) => ({
      key: message.ts,
      version: this.version(message, replies.get(message.ts), language, state.me),
      build: () =>
        messageNode(at.channel, message, {
          replies: replies.get(message.ts),
          openThread: this.moves.openThread,
          inspect: this.moves.inspect,
        }),
    }))
    if (items.length) fill(this.list, items)
    else
      reconcile(this.list, [
        { key: "empty", version: language, build: () => this.welcome(at, channel.is_im) },
      ])
  }

  welcome(at, direct) {
    const sent = (ts, text) => this.sent(ts, text, direct)
    const prompts = state.prompts.map((prompt) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "prompt",
            "data-prompt": prompt.id,
            onclick: () => ask(prompt, { channel: at.channel, direct }, sent),
          },
          h("span", {}, prompt[language].title, h("span", { class: "soft proves" }, prompt[language].proves)),
          h("span", { class: "soft" }, leadsTo(prompt)),
        ),
      ),
    )
    return h(
      "div",
      { class: "welcome" },
      h("h2", {}, t("emptyTitle")),
      h("p", {}, t("emptyText")),
      h("ul", { class: "prompts" }, prompts),
      h("p", { class: "soft" }, t(direct ? "emptyOwnDirect" : "emptyOwn", { bot: botName() })),
      h("p", { class: "soft" }, t(state.answerer.kind === "offline" ? "offlineHint" : "claudeHint")),
    )
  }

  drawHome() {
    const view = state.homes.get(state.me)
    if (!view && this.askedOf !== state.homes) {
      this.askedOf = state.homes // once; another server has other homes
      done("home")
    }
    fill(
      this.list,
      view
        ? [
            {
              key: "home",
              version: view,
              build: () =>
                h(
                  "div",
                  { class: "home-view" },
                  blocks(view.blocks, (_button, action) => done("click_home", { action_id: action })),
                ),
            },
          ]
        : [],
    )
  }
}

export class ThreadPane extends Pane {
  draw(at) {
    this.node.hidden = !at.thread
    if (!at.thread) {
      this.shown = ""
      return
    }
    this.buildOnce(at, [at.channel, at.thread])
    const items = thread(at.channel, at.thread).map((message) => ({
      key: message.ts,
      version: this.version(message, language, state.me),
      build: () => messageNode(at.channel, message, { inspect: this.moves.inspect }),
    }))
    fill(this.list, items)
    this.working.hidden = !isWorking(at.channel, at.thread)
    this.title.textContent = titleOf(at.channel, at.thread)
    this.title.hidden = !this.title.textContent
  }

  build(at, channel) {
    this.title = h("p", { class: "session-title", hidden: true }) // as the agent has named its session
    const head = h(
      "header",
      { class: "pane-head" },
      h("h2", {}, t("thread")),
      h("span", { class: "soft topic" }, channel.is_im ? botName() : `# ${channel.name}`),
      iconButton("close", t("close"), () => this.moves.go({ channel: at.channel }), {
        class: "quiet end",
        "data-act": "close-thread",
      }),
    )
    this.list = messageList(t("thread"))
    const stop = h(
      "button",
      {
        type: "button",
        class: "press danger",
        "data-act": "stop",
        onclick: () => done("stop", { channel: at.channel, thread_ts: at.thread }),
      },
      icon("stop"),
      t("stop"),
    )
    this.working = h(
      "div",
      { class: "working", hidden: true },
      h("span", { class: "dot" }),
      h("span", {}, t("working")),
      stop,
    )
    const box = composer(
      () => ({ channel: at.channel, thread: at.thread }),
      () => (this.list.scrollTop = this.list.scrollHeight),
      () => t("replyHere"),
    )
    this.node.replaceChildren(head, this.title, this.list, this.working, box)
    focusIfFree(box)
    this.node.setAttribute("aria-label", t("thread"))
  }
}
