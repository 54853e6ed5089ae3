import type { Store } from '../../core/store/store.ts'
import { MIRROR } from './statements.ts'

const BATCH = 500

type Removal = {
  store: Store
  source: string
  now: () => number
  onKept: (id: number, reason: string) => void
}

/** Removes the copies of passports that are gone at the source, unless they must be kept. Returns the removed ids. */
export async function removeCopies(gone: ReadonlySet<number>, { store, source, now, onKept }: Removal) {
  const others = (await store.data(MIRROR).listSources()).filter((other) => other !== source)
  const removed: number[] = []
  // Concurrent requests find them in any order.
  for (const id of [...gone].sort((one, other) => one - other)) {
    const reason = await findReason(store, others, id, gone)
    if (reason) onKept(id, reason)
    else removed.push(id)
  }
  for (let at = 0; at < removed.length; at += BATCH) {
    const batch = removed.slice(at, at + BATCH)
    await store.records.save(
      batch.map((id) => ({ kind: 'removal', id })),
      { now: now(), restore: false },
    )
    // Run 0 marks a pruned passport: unlike other removed passports, it is copied again if the source has it again.
    for (const id of batch)
      await store.data(MIRROR).note(source, id, { passportEtag: '', credentialsEtag: '', run: 0 })
  }
  return removed
}

/** Returns the reason to keep a copy: another source has it, or a passport that is not gone is merged into it. */
async function findReason(store: Store, others: readonly string[], id: number, gone: ReadonlySet<number>) {
  for (const other of others)
    if (((await store.data(MIRROR).find(other, id))?.run ?? 0) > 0) return `${other} has it, too`
  const merged = [id]
  for (const parent of merged) {
    for (const child of await store.passports.listMerged(parent)) {
      if (!gone.has(child)) return `passport ${child} is merged into it`
      if (!merged.includes(child)) merged.push(child)
    }
  }
  return undefined
}
