// The modal that an app has opened for the person who sits here.

import { done } from "./doing.js"
import { h } from "./dom.js"
import { state } from "./store.js"

let shown = null

export function drawModal(place) {
  const view = state.modals.get(state.me) ?? null
  if (view?.id === shown) return
  shown = view?.id ?? null
  place.replaceChildren(...(view ? [dialog(view)] : []))
  place.querySelector("input")?.focus()
}

function dialog(view) {
  const inputs = view.blocks.filter(({ type }) => type === "input")
  const close = () => done("close_modal")
  const submit = (event) => {
    event.preventDefault()
    const values = Object.fromEntries(new FormData(event.currentTarget))
    done("submit_modal", { values })
  }
  return h(
    "div",
    { class: "modal-back", onkeydown: (event) => event.key === "Escape" && (event.preventDefault(), close()) },
    h(
      "form",
      { class: "modal", role: "dialog", "aria-modal": "true", "aria-label": view.title.text, onsubmit: submit },
      h("h2", {}, view.title.text),
      inputs.map(field),
      h(
        "div",
        { class: "modal-acts" },
        view.close &&
          h("button", { type: "button", class: "press", "data-act": "modal-close", onclick: close }, view.close.text),
        view.submit &&
          h("button", { type: "submit", class: "press primary", "data-act": "modal-submit" }, view.submit.text),
      ),
    ),
  )
}

const field = ({ label, element, optional }) =>
  h(
    "label",
    { class: "modal-field" },
    h("span", {}, label.text),
    h("input", {
      type: "text",
      name: element.action_id,
      maxlength: String(element.max_length ?? 3000),
      placeholder: element.placeholder?.text ?? "",
      ...(optional ? {} : { required: "" }),
    }),
  )
