import { CursorExpiredError } from './errors.ts'
import type { V3Event, V3LookupItem, V3Page } from './types.ts'

/** A step of a copy of all passports. */
export type V3Change<Passport> =
  /** The copy begins, or begins again because events are missing: delete all passports that you have. */
  | { type: 'start' }
  | { type: 'put'; passport: Passport }
  /** The passport was removed, or merged into another one. It is possible that you do not have it. */
  | { type: 'delete'; id: number; mergedInto?: number }
  /** Store the cursor when all changes before it are stored. `isCurrent`: the copy has all changes until now. */
  | { type: 'checkpoint'; cursor: string; isCurrent: boolean }

/** The requests of a copy. */
type Reads<Passport> = {
  cursor: () => Promise<string>
  page: (cursor: string | undefined) => Promise<V3Page<Passport>>
  lookup: (keys: readonly string[]) => Promise<{ items: V3LookupItem<Passport>[] }>
  keysPerLookup: number
  events: (after: string) => AsyncIterable<{ items: V3Event[]; next: string; isCurrent: boolean }>
}

/** Copies all passports, and then all changes. Begins again if events after the cursor were deleted. */
export async function* copy<Passport extends { passport_id: number }>(
  reads: Reads<Passport>,
  after: string | undefined,
): AsyncGenerator<V3Change<Passport>, void, undefined> {
  for (let cursor = after; ; cursor = undefined) {
    try {
      return yield* copyAfter(reads, cursor)
    } catch (error) {
      if (!(error instanceof CursorExpiredError)) throw error
    }
  }
}

/** While the list is read, the cursor of a checkpoint is that of the events, `~`, and that of the list. */
async function* copyAfter<Passport extends { passport_id: number }>(
  reads: Reads<Passport>,
  after: string | undefined,
): AsyncGenerator<V3Change<Passport>, void, undefined> {
  if (after === undefined) yield { type: 'start' }
  // The cursor is read before the list, so that the events after it have all changes that the list may lack.
  let [cursor = '', position] = after?.split('~') ?? [await reads.cursor(), '']
  while (position !== undefined) {
    const { items, next } = await reads.page(position || undefined)
    for (const passport of items) yield { type: 'put', passport }
    position = next ?? undefined
    yield { type: 'checkpoint', cursor: next === null ? cursor : `${cursor}~${next}`, isCurrent: false }
  }
  for await (const { items, next, isCurrent } of reads.events(cursor)) {
    yield* readChanged(reads, items)
    yield { type: 'checkpoint', cursor: next, isCurrent }
  }
}

/** Yields the passports of the events as they are now. */
async function* readChanged<Passport extends { passport_id: number }>(
  { lookup, keysPerLookup }: Reads<Passport>,
  events: readonly V3Event[],
): AsyncGenerator<V3Change<Passport>, void, undefined> {
  const keys = [...new Set(events.flatMap(({ subject }) => subject ?? []))]
  for (let at = 0; at < keys.length; at += keysPerLookup) {
    const { items } = await lookup(keys.slice(at, at + keysPerLookup))
    const found = new Map<number, Passport>()
    // Deletions come first, because a passport may have the wallets of another one that was merged into it.
    for (const item of items) {
      const id = Number(item.key)
      if (!('passport' in item)) yield { type: 'delete', id }
      else {
        const { passport_id: survivor } = item.passport
        if (survivor !== id) yield { type: 'delete', id, mergedInto: survivor }
        found.set(survivor, item.passport)
      }
    }
    for (const passport of found.values()) yield { type: 'put', passport }
  }
}
