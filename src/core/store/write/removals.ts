import { defineData } from '../data.ts'
import { addAuditEntry } from '../sql/audit-log.ts'
import { listColumn, type Transaction } from '../sql/connection.ts'
import { remove } from './merges.ts'
import type { WriteModel } from './write-model.ts'
import { changePassports } from './write-records.ts'

/** The id of a passport, or the SHA-256 of a wallet in hexadecimal. Records with it are skipped. */
export type Removal = string

/** The list of removals. It can be kept outside of the database, and applied after a restore. */
export const REMOVALS = defineData({
  name: 'removals',
  tables: ['removals', 'barred_wallets'],
  open: ({ read, transaction }) => ({
    list: (): Promise<Removal[]> =>
      listColumn<string>(
        read.query,
        'select cast(passport_id as text) as text from removals union all select digest from barred_wallets',
      ),
    /** Removes the passports that are stored. Later records are skipped. */
    async apply(list: readonly Removal[], now: number): Promise<void> {
      for (let at = 0; at < list.length; at += BATCH)
        await transaction((tx) => applyBatch(tx, list.slice(at, at + BATCH), now), 'records')
    },
  }),
})

const BATCH = 500

async function applyBatch(tx: Transaction, list: readonly Removal[], now: number): Promise<void> {
  const digests = list.filter(isDigest).map((digest) => ({ digest, removed_at: now }))
  await tx.insertRows('barred_wallets', digests, 'on conflict (digest) do nothing')
  const removed = list.filter((removal) => !isDigest(removal)).map(Number)
  const detail = { wallets: digests.length }
  if (digests.length > 0) await addAuditEntry(tx.query, { action: 'passports.bar', detail })
  const removeAll = (model: WriteModel) => ({ remove: removed.flatMap((id) => remove(model, id, now, true)) })
  await changePassports(tx, { removed }, removeAll, { now })
}

const isDigest = (removal: Removal) => removal.length === 64
