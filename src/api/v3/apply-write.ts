import type { Actor } from '../../domain/history/event.ts'
import { formatEventCursor } from '../../domain/history/event-cursor.ts'
import type { RuleSetShape } from '../../domain/rule-set.ts'
import type { Awaitable, Store } from '../../store/store.ts'
import type { SentRecords } from './save-sent-records.ts'

/** A change that a request makes. `ids` are a passport, and the one that it is merged into. */
export type Change =
  | ({ kind: 'records' } & SentRecords)
  | { kind: 'merge'; ids: [from: number, into: number] }
  | { kind: 'unmerge' | 'remove'; ids: [id: number] }

/** Server threads send it to the writer thread. */
export type Write = Change & { actor: Actor; now: number }

/** `cursor` is the end of the event log after the write. */
export type Written = { cursor: string }

type Target = { store: Store; rules: () => Awaitable<RuleSetShape> }

export async function applyWrite({ store, rules }: Target, write: Write): Promise<Written> {
  const { passports } = store
  const { actor, now } = write
  if (write.kind === 'records') {
    // Loaded when it is needed, because the validator loads slowly.
    const { saveSentRecords } = await import('./save-sent-records.ts')
    return saveSentRecords({ store, rules: await rules(), now }, write, actor)
  }
  const end =
    write.kind === 'merge'
      ? await passports.merge(...write.ids, now, actor)
      : await passports[write.kind](...write.ids, now, actor)
  return { cursor: formatEventCursor(end) }
}
