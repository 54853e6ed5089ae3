import { CursorExpiredError } from './errors.ts'
import type { V3Event, V3Page } from './types.ts'
import type { CopyOptions, FieldOptions } from './v3-options.ts'
import { largestPage, type Requests } from './v3-requests.ts'

/** A step of a copy of all passports. */
export type V3Change<Passport> =
  /** The copy begins, or begins again because events are missing: delete all passports that you have. */
  | { type: 'start' }
  | { type: 'put'; passport: Passport }
  /** The passport was removed, or merged into another one. It is possible that you do not have it. */
  | { type: 'delete'; id: number; mergedInto?: number }
  /** Store the cursor when all changes before it are stored. `isCurrent`: the copy has all changes until now. */
  | { type: 'checkpoint'; cursor: string; isCurrent: boolean }

type Changes<Passport> = AsyncGenerator<V3Change<Passport>, void, undefined>

/** Copies all passports, and then all changes. Begins again if events after the cursor were deleted. */
export async function* copy<P extends { passport_id: number }>(
  requests: Requests,
  options: CopyOptions,
): Changes<P> {
  const select = options.select && ([...options.select, 'passport_id'] as const)
  for (let { after } = options; ; after = undefined) {
    try {
      return yield* copyAfter<P>(requests, { ...options, select, after })
    } catch (error) {
      if (!(error instanceof CursorExpiredError)) throw error
    }
  }
}

/** While the list is read, the cursor of a checkpoint is that of the events, `~`, and that of the list. */
async function* copyAfter<P extends { passport_id: number }>(
  requests: Requests,
  { after, follow, ...fields }: CopyOptions,
): Changes<P> {
  let [cursor, position] = after?.split('~') ?? []
  if (cursor === undefined) {
    yield { type: 'start' }
    // The cursor is read before the list, so that the events after it have all changes that the list may lack.
    cursor = await requests.getCursor(fields)
    position = ''
  }
  while (position !== undefined) {
    const page = { ...fields, after: cursor, limit: largestPage(fields), cursor: position || undefined }
    const { items, next } = await requests.getPage<V3Page<P>>(page)
    for (const passport of items) yield { type: 'put', passport }
    position = next ?? undefined
    yield { type: 'checkpoint', cursor: next === null ? cursor : `${cursor}~${next}`, isCurrent: false }
  }
  const events = requests.readEvents({ after: cursor, follow, signal: fields.signal })
  for await (const { items, next, isCurrent } of events) {
    yield* readChanged<P>(requests, items, fields)
    yield { type: 'checkpoint', cursor: next, isCurrent }
  }
}

/** Yields the passports of the events as they are now. */
async function* readChanged<P extends { passport_id: number }>(
  { getItems }: Requests,
  events: readonly V3Event[],
  fields: FieldOptions,
): Changes<P> {
  const keys = [...new Set(events.flatMap(({ subject }) => subject ?? []))]
  const most = largestPage(fields)
  for (let at = 0; at < keys.length; at += most) {
    const { items } = await getItems<P>(keys.slice(at, at + most), fields)
    const found = new Map<number, P>()
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
