// The line to the server: a snapshot first, then events from there on, and back again whenever it breaks.

import { apply, load } from "./store.js"

const WAITS = [300, 600, 1200, 2400]

let source = null
let tries = 0
let timer = null
let attempt = 0
let tell = () => {}

export function connect(onLine) {
  tell = onLine
  document.addEventListener("visibilitychange", () => (document.hidden ? hangUp() : begin()))
  begin()
}

// A browser opens few connections to one server: a tab that is not shown closes its own.
function hangUp() {
  attempt += 1
  clearTimeout(timer)
  source?.close()
  source = null
}

async function begin() {
  hangUp()
  const mine = attempt
  try {
    const snapshot = await read("/playground/state")
    if (mine !== attempt) return // another attempt has begun meanwhile
    load(snapshot)
    listen(snapshot.position)
  } catch {
    if (mine === attempt) again()
  }
}

function listen(position) {
  const line = new EventSource(`/playground/events?after=${encodeURIComponent(position)}`)
  source = line
  line.onopen = () => {
    tries = 0
    tell(true)
  }
  line.onmessage = (event) => {
    if (!apply(JSON.parse(event.data))) begin()
  }
  line.addEventListener("reset", begin)
  line.onerror = again
}

function again() {
  if (document.hidden) return
  hangUp()
  tell(false)
  timer = setTimeout(begin, WAITS[Math.min(tries++, WAITS.length - 1)])
}

export async function act(name, body) {
  try {
    const answer = await fetch(`/playground/act/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Playground": "1" },
      body: JSON.stringify(body),
    })
    return await answer.json()
  } catch {
    return { ok: false, error: "connection_lost" }
  }
}

export async function read(path) {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(answer.statusText)
  return answer.json()
}
