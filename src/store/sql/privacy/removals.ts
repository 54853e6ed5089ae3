import type { Removal, RemovalStore } from '../../subject-store.ts'
import { BY_MERGE } from '../../write/event-tracker.ts'
import { createMerges } from '../../write/merges.ts'
import { addAuditEntry } from '../audit-log.ts'
import { type Database, listColumn, type Transaction } from '../connection.ts'
import { loadWriteModel } from '../load-and-save-write-model.ts'
import { finish, LIST_REMOVALS } from '../write-records.ts'

/** The list of removals. It can be kept outside of the database, and applied after a restore. */
export const createRemovals = ({ read, transaction }: Database): RemovalStore => ({
  async list() {
    const ids = await listColumn<number>(read.query, LIST_REMOVALS)
    const digests = await listColumn<string>(read.query, LIST_DIGESTS)
    return [...ids.map((id) => ({ id })), ...digests.map((digest) => ({ digest }))]
  },
  apply: (list, now) =>
    transaction(async (tx) => {
      await barWallets(tx, list, now)
      const removed = list.flatMap((each) => ('id' in each ? [each.id] : []))
      const { model, save } = await loadWriteModel(tx, { ids: [], addresses: [], removed }, BY_MERGE)
      const merges = createMerges(model)
      const ids = removed.flatMap((id) => merges.remove(id, now, true))
      const changes = model.finish()
      await save()
      await finish(tx, changes, { remove: ids }, { now })
      return changes.removed.length
    }, 'records'),
  undo: (removal) =>
    transaction(async ({ query }) => {
      const [table, column, key] =
        'id' in removal
          ? ['removals', 'passport_id', removal.id]
          : ['barred_wallets', 'digest', removal.digest]
      const deleted = await query(`delete from ${table} where ${column} = $1 returning 1 as one`, [key])
      const detail = 'id' in removal ? { passports: [removal.id] } : { wallets: 1 }
      if (deleted.length > 0) await addAuditEntry(query, { action: 'passports.unbar', detail })
      return deleted.length > 0
    }, 'records'),
})

const LIST_DIGESTS = 'select digest from barred_wallets order by digest'

async function barWallets({ query, insertRows }: Transaction, list: readonly Removal[], now: number) {
  const rows = list.flatMap((each) => ('digest' in each ? [{ digest: each.digest, removed_at: now }] : []))
  if (rows.length === 0) return
  await insertRows('barred_wallets', rows, 'on conflict (digest) do nothing')
  await addAuditEntry(query, { action: 'passports.bar', detail: { wallets: rows.length } })
}
