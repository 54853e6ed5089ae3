import { overloaded } from '../../basics/errors.ts'

/** Bodies up to this size are not counted, because the limit on connections bounds their memory. */
export const SMALL_BYTES = 64 * 1024

/**
 * Limits of the memory that a server thread holds for clients that read or send slowly. The maximum for 900 connections is
 * 150 MB: `bytes`, four large pages that are being rendered (12 MB each), and 64 KiB per connection. With the
 * second budget, `bytes` counts twice, and the maximum is 200 MB.
 */
const HOLD_LIMITS = {
  /** The budget of all clients together. A client without unsent large bodies can use a second budget of this size. */
  bytes: 48 * 1024 * 1024,
  bytesOfClient: 12 * 1024 * 1024,
  /** A client that reads nothing for this time is disconnected. Bun may need four seconds more. */
  stallSeconds: 10,
  /** Interval of checks. `stallSeconds` applies to responses that take longer than this. */
  checkMilliseconds: 1000,
  /** Minimum time between two checks for sent responses while the budget is used up. */
  recheckMilliseconds: 50,
}

export type HoldLimits = typeof HOLD_LIMITS

/** A request for which bytes are held. */
export type Holder = {
  /** The id of the client's key, or its address without a key. */
  client: string
  /** Whether the response was sent, or the client has left. */
  isDone(): boolean
  /** Ends the connection after so many seconds without progress. */
  limitStall(seconds: number): void
}

type Body = { bytes: number; client: string; holders: number }
type Entry = { holder: Holder; body: object; since: number; isLimited: boolean }

/** Only a client without unsent large bodies can use the second budget. */
const isAbove = ({ bytes, bytesOfClient }: HoldLimits, own: number, total: number) =>
  own >= bytesOfClient || total >= (own === 0 ? 2 : 1) * bytes

/** Counts the bytes of large bodies until they are sent. A body that several responses share counts once. */
export function createHeldBytes(given: Partial<HoldLimits> = {}) {
  const limits = { ...HOLD_LIMITS, ...given }
  const entries = new Set<Entry>()
  const bodies = new Map<object, Body>()
  const clients = new Map<string, number>()
  let total = 0
  let checkedAt = 0
  let timer: Timer | undefined
  let onRelease = () => {}

  function count(client: string, bytes: number): void {
    const sum = (clients.get(client) ?? 0) + bytes
    total += bytes
    if (sum === 0) clients.delete(client)
    else clients.set(client, sum)
  }

  function release(entry: Entry): void {
    const body = bodies.get(entry.body)
    if (!entries.delete(entry) || !body || --body.holders > 0) return
    bodies.delete(entry.body)
    count(body.client, -body.bytes)
  }

  function check(): void {
    checkedAt = performance.now()
    const before = total
    for (const entry of entries) {
      if (entry.holder.isDone()) release(entry)
      else if (!entry.isLimited && checkedAt - entry.since >= limits.checkMilliseconds) {
        entry.isLimited = true
        entry.holder.limitStall(limits.stallSeconds)
      }
    }
    if (entries.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    if (total < before) onRelease()
  }

  const isOver = (client: string) => isAbove(limits, clients.get(client) ?? 0, total)

  function isFull(client: string): boolean {
    if (isOver(client) && performance.now() - checkedAt >= limits.recheckMilliseconds) check()
    return isOver(client)
  }

  return {
    limits,
    total: () => total,
    isFull,
    /** Holds a body until its request is done. Returns a function that releases it earlier. Throws `overloaded`. */
    hold(holder: Holder, bytes: number, shared: object = {}, mayExceed = false): () => void {
      if (!mayExceed && !bodies.has(shared) && isFull(holder.client)) throw overloaded()
      const entry = { holder, body: shared, since: performance.now(), isLimited: false }
      const body = bodies.get(shared) ?? { bytes, client: holder.client, holders: 0 }
      if (body.holders++ === 0) count(body.client, bytes)
      bodies.set(shared, body)
      entries.add(entry)
      timer ??= setInterval(check, limits.checkMilliseconds).unref()
      return () => {
        release(entry)
        onRelease()
      }
    },
    /** Calls the listener when bytes were released. */
    listen(listener: () => void): void {
      onRelease = listener
    },
  }
}

export type HeldBytes = ReturnType<typeof createHeldBytes>
