import type { ProvenEvent } from '../../history/event.ts'
import { leafOfStored, saltOf } from '../../history/hash-chain.ts'
import { type EventRow, isServed, toEvent } from './event.ts'

/** A row of an event and the secret of its passport. */
export type ProofRow = EventRow & { secret?: string | null }

/** SQL for both engines: selects the secret together with the event, because a removal deletes the secret. */
export const SECRET =
  '(select secret from log_secrets where log_secrets.passport_id = events.passport_id) as secret'

/** Events that are not served are tombstones, too. */
export function toProvenEvents(rows: readonly ProofRow[]): ProvenEvent[] {
  return rows.map((row) => {
    const { sequence, type } = row
    if (type === 'tombstone') return { type, sequence, ...JSON.parse(row.data) }
    const event = toEvent(row)
    // A removal has no salt: a passport that is added again has another secret, which must not change the leaf.
    const salt = event.type === 'passport.removed' || !row.secret ? '' : saltOf(row.secret, sequence)
    const proven = { ...event, salt }
    return isServed(row) ? proven : { type: 'tombstone', sequence, leaf: leafOfStored(proven) }
  })
}
