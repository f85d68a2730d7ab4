// Does something as the person who sits here, and says so when it fails.

import { act } from "./feed.js"
import { state } from "./store.js"
import { t } from "./words.js"

let timer = null

export function say(text) {
  const toast = document.getElementById("toast")
  toast.textContent = text
  toast.classList.add("shown")
  clearTimeout(timer)
  timer = setTimeout(() => toast.classList.remove("shown"), 5000)
}

export async function done(name, body = {}, said = "") {
  const answer = await act(name, { user: state.me, ...body })
  if (!answer.ok) say(t("failed", { error: answer.error }))
  else if (said) say(typeof said === "function" ? said(answer) : said)
  return answer
}
