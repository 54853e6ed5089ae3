import type { Actor } from '../domain/history/event.ts'
import type { EventCursor } from '../domain/history/event-cursor.ts'
import type { IncomingRecord } from '../domain/record/record.ts'
import { hashOf } from './hash.ts'
import type { SaveResult, Store } from './store.ts'

/** A change that a request makes. Server threads send it to the writer thread. `records` is a list as JSON. */
export type Write = { actor: Actor; now: number } & (
  | { kind: 'records'; records: string; isIssuer: boolean; dryRun: boolean }
  | { kind: 'merge'; id: number; into: number }
  | { kind: 'unmerge'; id: number }
  | { kind: 'remove'; id: number }
)

/** Sending the records to another thread as objects would block the server thread for up to 90 ms. */
export function serializeRecord(record: IncomingRecord): string {
  if (record.kind !== 'passport' || !record.sourceBytes) return JSON.stringify(record)
  const { sourceBytes, ...rest } = record
  return JSON.stringify({ ...rest, sourceHash: hashOf(sourceBytes) } satisfies IncomingRecord)
}

/** `end` is the end of the event log after the write. Only records have results; if one is refused, nothing was saved. */
export type Written = { end: EventCursor; results: readonly SaveResult[] }

export async function applyWrite({ passports, records }: Store, write: Write): Promise<Written> {
  const { actor, now } = write
  switch (write.kind) {
    case 'records': {
      const { isIssuer, dryRun } = write
      const batch: IncomingRecord[] = JSON.parse(write.records)
      return records.saveWhole(batch, { now, actor, isIssuer, dryRun, restore: false })
    }
    case 'merge':
      return { end: await passports.merge(write.id, write.into, now, actor), results: [] }
    case 'unmerge':
      return { end: await passports.unmerge(write.id, now, actor), results: [] }
    case 'remove':
      return { end: await passports.remove(write.id, now, actor), results: [] }
  }
}
