// What the page knows: the server's snapshot, kept true by its events.

export const state = {
  ready: false,
  team: "",
  url: "",
  bot: "",
  me: sessionStorage.getItem("me") || "",
  users: new Map(),
  channels: new Map(),
  messages: new Map(),
  ephemerals: new Map(),
  sessions: new Map(),
  homes: new Map(),
  suggested: new Map(),
  entries: new Map(),
  whitelist: new Set(),
  answerer: { kind: "offline", model: "" },
  prompts: [],
  command: "/fetch",
  methods: [],
  faults: [],
}

const MOST_ENTRIES = 1000
const listeners = new Set()
let waiting = false

export function onChange(listener) {
  listeners.add(listener)
}

// However many changes come, the page is drawn once a frame; a hidden page has no frames to wait for.
export function changed() {
  if (waiting) return
  waiting = true
  const draw = () => {
    if (!waiting) return
    waiting = false
    for (const listener of listeners) listener()
  }
  if (document.hidden) setTimeout(draw, 0)
  else requestAnimationFrame(draw)
}

const byId = (items) => new Map(items.map((item) => [item.id, item]))
const session = (channel, ts) => `${channel}/${ts}`

export function load(snapshot) {
  Object.assign(state, {
    ready: true,
    team: snapshot.team,
    url: snapshot.url,
    bot: snapshot.bot,
    users: byId(snapshot.users),
    channels: byId(snapshot.channels),
    messages: new Map(),
    ephemerals: new Map(snapshot.ephemerals.map((message) => [message.ts, message])),
    sessions: new Map(snapshot.sessions.map((each) => [session(each.channel, each.thread_ts), each])),
    homes: new Map(Object.entries(snapshot.homes)),
    modals: new Map(Object.entries(snapshot.modals)),
    conditions: snapshot.conditions,
    errors: snapshot.errors,
    faults: snapshot.faults,
    suggested: new Map(Object.entries(snapshot.suggested)),
    entries: new Map(snapshot.entries.map((entry) => [entry.number, entry])),
    whitelist: new Set(snapshot.whitelist),
    answerer: snapshot.answerer,
    prompts: snapshot.prompts,
    command: snapshot.command,
    methods: snapshot.methods,
  })
  for (const [channel, messages] of Object.entries(snapshot.messages)) {
    state.messages.set(channel, new Map(messages.map((message) => [message.ts, message])))
  }
  if (!state.users.has(state.me)) state.me = people()[0]?.id ?? ""
  changed()
}

const HANDLERS = {
  message: ({ channel, message }) => messagesOf(channel).set(message.ts, message),
  removed: ({ channel, ts }) => remove(channel, ts),
  ephemeral: ({ message }) => state.ephemerals.set(message.ts, message),
  withdrawn: ({ ts }) => state.ephemerals.delete(ts),
  session: (record) => state.sessions.set(session(record.channel, record.thread_ts), record),
  home: ({ user, view }) => state.homes.set(user, view),
  modal: ({ user, view }) => (view ? state.modals.set(user, view) : state.modals.delete(user)),
  conditions: ({ paid, socket }) => (state.conditions = { paid, socket }),
  faults: ({ planned }) => (state.faults = planned),
  prompts: ({ channel, title, prompts }) => state.suggested.set(channel, { title, prompts }),
  whitelist: ({ users }) => (state.whitelist = new Set(users)),
  entry: ({ entry }) => addEntry(entry),
}

// False when a record speaks of something that only a new snapshot can tell.
export function apply(record) {
  const handler = HANDLERS[record.type]
  if (!handler) return false
  handler(record)
  changed()
  return true
}

function addEntry(entry) {
  state.entries.set(entry.number, entry)
  if (state.entries.size > MOST_ENTRIES) state.entries.delete(state.entries.keys().next().value)
}

// Under replies, Slack leaves a tombstone.
function remove(channel, ts) {
  const messages = messagesOf(channel)
  const answered = [...messages.values()].some((each) => each.thread_ts === ts && each.ts !== ts)
  if (answered) messages.set(ts, { ts, thread_ts: ts, subtype: "tombstone", user: "", text: "" })
  else messages.delete(ts)
}

export function messagesOf(channel) {
  if (!state.messages.has(channel)) state.messages.set(channel, new Map())
  return state.messages.get(channel)
}

const isRoot = (message) => !message.thread_ts || message.thread_ts === message.ts
const inOrder = (one, other) => (one.ts < other.ts ? -1 : 1)
const mine = (channel) =>
  [...state.ephemerals.values()].filter((each) => each.channel === channel && each.to === state.me)

// What stands in a channel, and how many replies each message has.
export function timeline(channel) {
  const all = [...messagesOf(channel).values()]
  const replies = new Map()
  for (const message of all)
    if (!isRoot(message)) replies.set(message.thread_ts, (replies.get(message.thread_ts) ?? 0) + 1)
  const roots = all.filter((message) => isRoot(message) || message.subtype === "thread_broadcast")
  const whispers = mine(channel).filter((message) => !message.thread_ts)
  return { messages: [...roots, ...whispers].sort(inOrder), replies }
}

export function thread(channel, root) {
  const said = [...messagesOf(channel).values()].filter((each) => each.ts === root || each.thread_ts === root)
  const whispers = mine(channel).filter((message) => message.thread_ts === root)
  return [...said, ...whispers].sort(inOrder)
}

export const isWorking = (channel, root) =>
  state.sessions.get(session(channel, root))?.status === "processing"
export const titleOf = (channel, root) => state.sessions.get(session(channel, root))?.title ?? ""
export const people = () => [...state.users.values()].filter((user) => !user.is_bot)
export const userOf = (id) => state.users.get(id)
export const nameOf = (id) => state.users.get(id)?.real_name ?? id
export const botName = () => nameOf(state.bot)
export const directOf = (user) =>
  [...state.channels.values()].find((channel) => channel.is_im && channel.user === user)

// A message's link, as Slack writes it, and the place here that such a link leads to.
export function permalink(channel, message) {
  const path = `${state.url}archives/${channel}/p${message.ts.replace(".", "")}`
  const root = message.thread_ts
  return root && root !== message.ts ? `${path}?thread_ts=${root}&cid=${channel}` : path
}

export function placeOf(url) {
  if (!state.url || !url.startsWith(`${state.url}archives/`)) return ""
  const found = /^([A-Z0-9]+)\/p(\d+)(\d{6})(?:\?thread_ts=([\d.]+))?/.exec(url.slice(state.url.length + 9))
  return found ? `#${found[1]}/${found[4] ?? `${found[2]}.${found[3]}`}` : ""
}

export function become(user) {
  state.me = user
  sessionStorage.setItem("me", user)
  changed()
}
