import type { PassportV3 } from '../history/passport-state.ts'
import type { PassportRef } from '../passport/passport.ts'
import type { Store } from '../store/store.ts'

export type Reads = { store: Store }

export const findFullPassport = ({ store }: Reads, ref: PassportRef) => store.passports.find(ref)

/** A passport with its credentials. */
export const findPassport = ({ store }: Reads, ref: PassportRef) => store.passports.findWithCredentials(ref)

/** Changes when the passport changes. */
export const findVersion = ({ store }: Reads, ref: PassportRef) => store.passports.findVersion(ref)

/** Leaves out unknown ids. Those of merged passports lead to the same person. */
export async function listWithCredentials({ store }: Reads, ids: readonly number[]): Promise<PassportV3[]> {
  const people = new Map<number, PassportV3>()
  for (const id of ids) {
    const [result] = await store.passports.findByKeys([{ id }], { credentials: true })
    if (result && 'passport' in result) people.set(result.passport.id, result.passport)
  }
  return [...people.values()]
}

/** The latest events of a passport, of some types. */
export const listLatestEvents = ({ store }: Reads, ...of: Parameters<Store['events']['listLatest']>) =>
  store.events.listLatest(...of)

/** The times of the first and the last event of the log. */
export async function readLogRange({ store: { events } }: Reads) {
  const { last, knownSince } = await events.log()
  const { events: latest } = await events.list({ after: Math.max(0, last - 1), limit: 1 })
  return { newest: latest[0]?.time, knownSince }
}
