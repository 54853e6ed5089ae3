import type { Store } from '../store/store.ts'

type Log = { store: Pick<Store, 'events'> }

/** The latest events of a passport, of some types. */
export const listLatestEvents = ({ store }: Log, ...of: Parameters<Store['events']['listLatest']>) =>
  store.events.listLatest(...of)

/** The times of the first and the last event of the log. */
export async function readLogRange({ store: { events } }: Log) {
  const { last, knownSince } = await events.log()
  const { events: latest } = await events.list({ after: Math.max(0, last - 1), limit: 1 })
  return { newest: latest[0]?.time, knownSince }
}
