import type { Actor } from '../../domain/history/event.ts'
import { formatEventCursor } from '../../domain/history/event-cursor.ts'
import type { RuleSetShape } from '../../domain/rule-set.ts'
import type { Awaitable, Store } from '../../store/store.ts'
import type { SentRecords } from './save-sent-records.ts'

/** A change that a request makes. Server threads send it to the writer thread. */
export type Write = { actor: Actor; now: number } & (
  | ({ kind: 'records' } & SentRecords)
  | { kind: 'merge'; id: number; into: number }
  | { kind: 'unmerge'; id: number }
  | { kind: 'remove'; id: number }
)

/** `cursor` is the end of the event log after the write. */
export type Written = { cursor: string }

type Target = { store: Store; rules: () => Awaitable<RuleSetShape> }

export async function applyWrite({ store, rules }: Target, write: Write): Promise<Written> {
  const { passports } = store
  const { actor, now } = write
  switch (write.kind) {
    case 'records': {
      // Loaded when it is needed, because the validator loads slowly.
      const { saveSentRecords } = await import('./save-sent-records.ts')
      return saveSentRecords({ store, rules: await rules(), now }, write, actor)
    }
    case 'merge':
      return toWritten(await passports.merge(write.id, write.into, now, actor))
    case 'unmerge':
      return toWritten(await passports.unmerge(write.id, now, actor))
    case 'remove':
      return toWritten(await passports.remove(write.id, now, actor))
  }
}

const toWritten = (end: Parameters<typeof formatEventCursor>[0]): Written => ({
  cursor: formatEventCursor(end),
})
