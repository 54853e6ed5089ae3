import { dayOf, type UsageCount } from './usage.ts'

const DAY_MILLISECONDS = 86_400_000

type UsageReport = {
  counts: UsageCount[]
  lastUsed: Map<string, number>
  /** The ids of secret keys that were sent from pages. */
  inBrowser: Set<string>
}

type State = ReturnType<typeof createState>

const createState = (today: string) => ({
  today,
  midnight: Date.parse(today),
  counts: new Map<string, UsageCount>(),
  lastUsed: new Map<string, number>(),
  inBrowser: new Set<string>(),
  /** This month's requests by key id: the sums read from the store, and the requests counted since. */
  stored: new Map<string, number>(),
  since: new Map<string, number>(),
})

/** Counts responses in memory until the counts are taken and stored. */
export function createUsageCounter(now: () => number) {
  const state = createState(dayOf(now()))

  return {
    /** A request that costs several units counts as that many requests. */
    count(keyId: string, endpoint: string, status: number, time = now(), units = 1): void {
      startDay(state, time)
      addCount(state.counts, { day: state.today, key: keyId, endpoint, status, count: units })
      if (keyId === '') return
      state.lastUsed.set(keyId, time)
      // Responses with 304 or 429 do not count for the monthly quota.
      if (status !== 304 && status !== 429) state.since.set(keyId, (state.since.get(keyId) ?? 0) + units)
    },
    /** The response to this request must be counted too. */
    noteInBrowser(keyId: string): void {
      state.inBrowser.add(keyId)
    },
    take(): UsageReport {
      const { counts, lastUsed, inBrowser } = state
      Object.assign(state, { counts: new Map(), lastUsed: new Map(), inBrowser: new Set() })
      return { counts: [...counts.values()], lastUsed, inBrowser }
    },
    /** Adds counts that were taken and could not be stored. */
    putBack({ counts, lastUsed, inBrowser }: UsageReport): void {
      for (const one of counts) addCount(state.counts, one)
      state.lastUsed = new Map([...lastUsed, ...state.lastUsed])
      state.inBrowser = inBrowser.union(state.inBrowser)
    },
    /** The number of counted requests. */
    size: () => [...state.counts.values()].reduce((sum, { count }) => sum + count, 0),
    /** Whether the key has used up its monthly quota, as far as this node knows. */
    isQuotaUsed(keyId: string, quota: number): boolean {
      startDay(state, now())
      return monthSum(state, keyId) >= quota
    },
    /** `sums` are the monthly sums that were read from the store on `day`. Ignores those of another month. */
    setMonth(sums: ReadonlyMap<string, number>, day: string): void {
      startDay(state, now())
      // Sums of the previous month would count against the quota of this month.
      if (monthOf(day) !== monthOf(state.today)) return
      // The larger sum is kept, because stored sums do not include counts that are still in memory.
      const known = [...state.stored.keys(), ...state.since.keys()].map(
        (keyId) => [keyId, monthSum(state, keyId)] as const,
      )
      state.stored = new Map(sums)
      state.since = new Map()
      for (const [keyId, count] of known) if (count > monthSum(state, keyId)) state.stored.set(keyId, count)
    },
  }
}

/** Adds a count to the buffered count of the same day, key, endpoint and status. */
function addCount(buffer: Map<string, UsageCount>, one: UsageCount): void {
  const name = `${one.day} ${one.key} ${one.endpoint} ${one.status}`
  const known = buffer.get(name)
  if (known) known.count += one.count
  else buffer.set(name, one)
}

/** Starts new sums in a new month. */
function startDay(state: State, time: number): void {
  if (time >= state.midnight && time < state.midnight + DAY_MILLISECONDS) return
  const day = dayOf(time)
  const isSameMonth = monthOf(day) === monthOf(state.today)
  Object.assign(state, { today: day, midnight: Date.parse(day) })
  if (!isSameMonth) Object.assign(state, { stored: new Map(), since: new Map() })
}

const monthSum = ({ stored, since }: State, keyId: string) =>
  (stored.get(keyId) ?? 0) + (since.get(keyId) ?? 0)

const monthOf = (day: string) => day.slice(0, 7)

export type UsageCounter = ReturnType<typeof createUsageCounter>
