import type { Actor } from '../../history/event.ts'
import type { EventCursor } from '../../history/event-cursor.ts'
import { walletsOf } from '../../passport/passport.ts'
import type { IncomingRecord, PassportRecord } from '../../passport/record.ts'
import { defineData } from '../data.ts'
import type { StoredRow } from '../rows/passport.ts'
import { addAuditEntry, listSome } from '../sql/audit-log.ts'
import { type Database, listColumn, type Transaction } from '../sql/connection.ts'
import { selectIds } from '../sql/words.ts'
import { BY_MERGE, BY_RECORD, type Changes } from './list-changes.ts'
import { loadRecords, loadWriteModel, saveWriteModel } from './load-and-save-write-model.ts'
import { hide, merge, remove, unmerge } from './merges.ts'
import {
  fingerprintOf,
  isChange,
  type SaveOptions,
  type SaveRecords,
  type SaveResult,
  saveBatch,
} from './record-writer.ts'
import { appendEvents, findLogEnd, type Writer } from './write-events.ts'
import type { WriteModel } from './write-model.ts'

export function createRecords({ read, transaction, snapshot }: Database) {
  return {
    /** Saves all records in one transaction. The results are in the order of the records. */
    save: (batch: readonly IncomingRecord[], options: SaveOptions) =>
      transaction((tx) => saveChunk(tx, batch, options), 'records'),
    /** Saves all records in one transaction, or none if one is refused. With `dryRun`, it saves none. */
    saveWhole: (batch: readonly IncomingRecord[], options: SaveOptions & { dryRun: boolean }) =>
      transaction(async (tx) => {
        const results = await saveChunk(tx, batch, { ...options, isWhole: true })
        return { results, end: await findLogEnd(tx) }
      }, 'records'),
    /** Calls `work` with a function like `save`, in a transaction that is rolled back. Other writers wait. */
    async rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T> {
      // No events are appended, because that would lock the event log.
      const end = transaction(async (tx) => {
        throw new Rollback(await work((batch, options) => saveChunk(tx, batch, options, async () => {})))
      }, 'records')
      return end.catch((error) => {
        if (error instanceof Rollback) return error.result as T
        throw error
      })
    },
    /** The next passports by id, including merged ones, without hidden ones. */
    list: (afterId: number, limit: number): Promise<PassportRecord[]> =>
      snapshot(async (connection) => {
        const next = 'select * from passports where id > $1 and hidden_at is null order by id limit $2'
        return loadRecords(connection, await connection.query<StoredRow>(next, [afterId, limit]))
      }),
    listRemovals: () =>
      listColumn<number>(read.query, 'select passport_id as id from removals order by passport_id'),
  }
}

class Rollback extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('A dry run is rolled back.')
    this.result = result
  }
}

async function saveChunk(
  tx: Transaction,
  batch: readonly IncomingRecord[],
  options: SaveOptions & { dryRun?: boolean },
  commit = finish,
): Promise<SaveResult[]> {
  const unchanged = await findUnchanged(tx, batch, options.fingerprintPrefix)
  const { ids, addresses } = keysOf(batch.filter((record) => !unchanged.has(record)))
  const model = await loadWriteModel(tx, ids, addresses)
  const results = saveBatch(model, batch, { ...options, unchanged })
  const isRefused = results.some(({ outcome }) => outcome === 'refused')
  if ((options.isWhole && (options.dryRun || isRefused)) || !results.some(isChange)) return results
  const changes = await saveWriteModel(tx, model, BY_RECORD)
  const removed = results.flatMap((result) => ('removedIds' in result ? (result.removedIds ?? []) : []))
  await commit(tx, changes, removed.length > 0 ? { remove: removed } : {}, options)
  return results
}

async function finish(tx: Transaction, changes: Changes, ids: ChangedIds, by: Writer): Promise<void> {
  await audit(tx, changes.merges, ids, by.actor)
  await appendEvents(tx, changes.events, by)
  if (ids.remove) tx.eraseRemoved()
}

/** The records whose fingerprint is stored already. Most rows of their passports need not be read. */
async function findUnchanged({ query }: Transaction, batch: readonly IncomingRecord[], prefix = '') {
  if (batch.some(({ kind }) => kind === 'removal')) return new Set<IncomingRecord>()
  const records = batch.filter((record) => record.kind === 'passport')
  const groups = Map.groupBy(records, ({ passport }) => passport.id)
  const rows = await query<{ id: number; fingerprint: string }>(
    `select id, fingerprint from passports where id in (${selectIds('$1')})`,
    [[...groups.keys()]],
  )
  const stored = new Map(rows.map(({ id, fingerprint }) => [id, fingerprint]))
  return new Set<IncomingRecord>(
    [...groups].flatMap(([id, [record, ...others]]) => {
      const fingerprint = stored.get(id)
      const isSame = record && fingerprint !== undefined && others.length === 0
      return isSame && fingerprintOf(record, prefix) === fingerprint ? [record] : []
    }),
  )
}

/** The passports that a transaction removed, hid or showed again. */
type ChangedIds = { readonly [Change in 'remove' | 'hide' | 'unhide']?: readonly number[] }

/** Adds an audit entry for all merges of a transaction, one for all unmerges, one for all removals and so on. */
async function audit({ query }: Transaction, merges: Changes['merges'], ids: ChangedIds, actor?: Actor) {
  const changes = {
    merge: merges.flatMap((event) => ('into' in event ? `${event.passportId} into ${event.into}` : [])),
    unmerge: merges.flatMap((event) => ('from' in event ? `${event.passportId} from ${event.from}` : [])),
    ...ids,
  }
  for (const [change, passports] of Object.entries(changes))
    if (passports.length > 0) {
      const detail = listSome('passports', passports)
      await addAuditEntry(query, { ...(actor && { actor }), action: `passports.${change}`, detail })
    }
}

export async function changePassports(
  tx: Transaction,
  ids: readonly number[],
  work: (model: WriteModel) => ChangedIds | undefined,
  by: Writer,
): Promise<EventCursor> {
  const model = await loadWriteModel(tx, ids)
  const changedIds = work(model) ?? {}
  await finish(tx, await saveWriteModel(tx, model, BY_MERGE), changedIds, by)
  return findLogEnd(tx)
}

export const PASSPORT_CHANGES = defineData({
  name: 'passports',
  open: (database: Database) => createPassportChanges(database),
  writes: ['merge', 'unmerge', 'hide', 'remove'],
})

export function createPassportChanges({ transaction }: Database) {
  const change = (
    ids: readonly number[],
    work: (model: WriteModel, now: number) => ChangedIds | undefined,
    [now = Date.now(), actor]: By,
  ) => transaction((tx) => changePassports(tx, ids, (model) => work(model, now), { now, actor }), 'records')

  return {
    /** Returns the end of the event log. Throws `not_found`, or `invalid_request` if one is merged already. */
    merge: (from: number, into: number, ...by: By) =>
      change([from, into], (model) => merge(model, from, into), by),
    /** Throws `not_found`, or `invalid_request` if the passport is not merged. */
    unmerge: (id: number, ...by: By) => change([id], (model) => unmerge(model, id), by),
    /** Hides a passport and those merged into it from every response, or shows them again. Throws `not_found`. */
    hide: (id: number, hidden: boolean, ...by: By) =>
      change(
        [id],
        (model, now) => (hidden ? { hide: hide(model, id, now) } : { unhide: hide(model, id, null) }),
        by,
      ),
    /** Deletes the passport, if any, and those merged into it. Later records with its id or wallets are ignored. */
    remove: (id: number, ...by: By) =>
      change([id], (model, now) => ({ remove: remove(model, id, now, true) }), by),
  }
}

type By = [now?: number, actor?: Actor]

function keysOf(batch: readonly IncomingRecord[]) {
  const [ids, addresses] = [new Set<number>(), new Set<string>()]
  for (const record of batch) {
    if (record.kind === 'removal') ids.add(record.id)
    else if (record.kind === 'passport') {
      const { id, mergedInto = id } = record.passport
      ids.add(id).add(mergedInto)
      for (const wallet of walletsOf(record.passport)) addresses.add(wallet)
    } else if ('id' in record.passport) ids.add(record.passport.id)
    else addresses.add(record.passport.wallet)
  }
  return { ids: [...ids], addresses: [...addresses] }
}

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
  await changePassports(tx, removed, removeAll, { now })
}

const isDigest = (removal: Removal) => removal.length === 64
