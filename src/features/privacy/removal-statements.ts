import { addAuditEntry } from '../../core/store/sql/audit-log.ts'
import { type Database, listColumn, type Transaction } from '../../core/store/sql/connection.ts'
import { changePassports, type Merges } from '../../core/store/write/write-records.ts'
import type { Removal, RemovalStore } from './store.ts'

export const createRemovals = ({ read, transaction }: Database): RemovalStore => ({
  list: () =>
    listColumn<string>(
      read.query,
      'select cast(passport_id as text) as text from removals union all select digest from barred_wallets',
    ),
  async apply(list, now) {
    for (let at = 0; at < list.length; at += BATCH)
      await transaction((tx) => applyBatch(tx, list.slice(at, at + BATCH), now), 'records')
  },
})

const BATCH = 500

async function applyBatch(tx: Transaction, list: readonly Removal[], now: number): Promise<void> {
  const digests = list.filter(isDigest).map((digest) => ({ digest, removed_at: now }))
  await tx.insertRows('barred_wallets', digests, 'on conflict (digest) do nothing')
  const removed = list.filter((removal) => !isDigest(removal)).map(Number)
  const detail = { wallets: digests.length }
  if (digests.length > 0) await addAuditEntry(tx.query, { action: 'passports.bar', detail })
  const remove = (merges: Merges) => ({ remove: removed.flatMap((id) => merges.remove(id, now, true)) })
  await changePassports(tx, { removed }, remove, { now })
}

const isDigest = (removal: Removal) => removal.length === 64
