// The modal that an app has opened for the person who sits here.

import { blocks } from "./blocks.js"
import { done } from "./doing.js"
import { h } from "./dom.js"
import { state } from "./store.js"
import { t } from "./words.js"

let shown = null

export function drawModal(place) {
  const view = state.modals.get(state.me) ?? null
  if (view?.id === shown) return
  shown = view?.id ?? null
  place.replaceChildren(...(view ? [dialog(view)] : []))
  place.querySelector("input, textarea")?.focus()
}

function dialog(view) {
  const close = () => done("close_modal")
  const submit = async (event) => {
    event.preventDefault()
    const form = event.currentTarget
    const answer = await done("submit_modal", { values: Object.fromEntries(new FormData(form)) })
    for (const said of form.querySelectorAll("[data-block]"))
      said.textContent = answer.errors?.[said.dataset.block] ?? ""
    form.querySelector(".modal-error:not(:empty)")?.parentElement.querySelector("input, textarea")?.focus()
  }
  return h(
    "div",
    { class: "modal-back", onkeydown: (event) => event.key === "Escape" && (event.preventDefault(), close()) },
    h(
      "div",
      { class: "modal-box", role: "dialog", "aria-modal": "true", "aria-label": view.title.text },
      h(
        "form",
        { class: "modal", onsubmit: submit },
        h("h2", {}, view.title.text),
        view.blocks.map((block) => (block.type === "input" ? field(block) : blocks([block], () => {}))),
        h(
          "div",
          { class: "modal-acts" },
          view.close &&
            h(
              "button",
              { type: "button", class: "press", "data-act": "modal-close", onclick: close },
              view.close.text,
            ),
          view.submit &&
            h("button", { type: "submit", class: "press primary", "data-act": "modal-submit" }, view.submit.text),
        ),
      ),
    ),
  )
}

const field = ({ block_id, label, element, optional }) =>
  h(
    "label",
    { class: "modal-field" },
    h("span", {}, label.text, optional && h("span", { class: "soft" }, ` ${t("optional")}`)),
    h(element.multiline ? "textarea" : "input", {
      ...(element.multiline ? { rows: "4" } : { type: "text" }),
      ...(element.type === "url_text_input" ? { inputmode: "url" } : {}),
      name: element.action_id,
      maxlength: String(element.max_length ?? 3000),
      placeholder: element.placeholder?.text ?? "",
      ...(optional ? {} : { required: "" }),
    }),
    h("span", { class: "modal-error", role: "alert", "data-block": block_id }),
  )
