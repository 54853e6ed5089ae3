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
import { type BatchKeys, loadRecords, loadWriteModel, saveWriteModel } from './load-and-save-write-model.ts'
import { hide, merge, remove, unmerge } from './merges.ts'
import {
  fingerprintOf,
  isChange,
  type SaveOptions,
  type SaveRecords,
  type SaveResult,
  saveBatch,
} from './record-writer.ts'
import { appendEvents, findLogEnd } from './write-events.ts'
import type { WriteModel } from './write-model.ts'

export function createRecords({ read, transaction, snapshot }: Database) {
  return {
    /** Saves all records in one transaction. The results are in the order of the records. */
    save: (batch: readonly IncomingRecord[], options: SaveOptions) =>
      transaction((tx) => save(tx, batch, options), 'records'),
    /** Saves all records in one transaction, or none if one is refused. With `dryRun`, it saves none. */
    saveWhole: (
      batch: readonly IncomingRecord[],
      options: Omit<SaveOptions, 'strict'> & { dryRun: boolean },
    ): Promise<{ results: SaveResult[]; end: EventCursor }> =>
      transaction(async (tx) => {
        const results = await save(tx, batch, { ...options, isWhole: true })
        return { results, end: await findLogEnd(tx) }
      }, 'records'),
    /** Calls `work` with a function like `save`, in a transaction that is rolled back. Other writers wait. */
    async rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T> {
      let result: { value: T } | undefined
      try {
        await transaction(async (tx) => {
          // No events are appended, because that would lock the event log.
          result = { value: await work((batch, options) => save(tx, batch, options, async () => {})) }
          throw new Rollback('A dry run is rolled back.')
        }, 'records')
      } catch (error) {
        if (!(error instanceof Rollback)) throw error
      }
      return (result as { value: T }).value
    },
    /** The next passports by id, including merged ones, without hidden ones. */
    list: (afterId: number, limit: number): Promise<PassportRecord[]> =>
      snapshot(async (connection) => {
        const rest = 'where id > $1 and hidden_at is null order by id limit $2'
        const rows = await connection.query<StoredRow>(`select * from passports ${rest}`, [afterId, limit])
        return loadRecords(connection, rows)
      }),
    listRemovals: () =>
      listColumn<number>(read.query, 'select passport_id as id from removals order by passport_id'),
  }
}

class Rollback extends Error {}

async function save(
  tx: Transaction,
  batch: readonly IncomingRecord[],
  options: SaveOptions & { dryRun?: boolean },
  commit = finish,
): Promise<SaveResult[]> {
  const unchanged = await findUnchanged(tx, batch, options)
  const named = keysOf(batch.filter((record) => !unchanged.has(record)))
  const model = await loadWriteModel(tx, named)
  const results = saveBatch(model, batch, { ...options, unchanged })
  const isRefused = results.some(({ outcome }) => outcome === 'refused')
  if ((options.isWhole && (options.dryRun || isRefused)) || !results.some(isChange)) return results
  const changes = await saveWriteModel(tx, model, BY_RECORD)
  const removed = results.flatMap((result) => ('removedIds' in result ? (result.removedIds ?? []) : []))
  await commit(tx, changes, removed.length > 0 ? { remove: removed } : {}, options)
  return results
}

/** Ends a transaction that changes passports. */
async function finish(
  tx: Transaction,
  changes: Changes,
  ids: ChangedIds,
  options: { now: number; actor?: Actor | undefined },
): Promise<void> {
  await audit(tx, changes.merges, ids, options.actor)
  await appendEvents(tx, changes.events, options)
  if (ids.remove) tx.eraseRemoved()
}

/** The records whose fingerprint is stored already. Most rows of their passports need not be read. */
async function findUnchanged(
  { query }: Transaction,
  batch: readonly IncomingRecord[],
  { fingerprintPrefix }: SaveOptions,
): Promise<ReadonlySet<IncomingRecord>> {
  if (batch.some(({ kind }) => kind === 'removal')) return new Set()
  const records = batch.filter((record) => record.kind === 'passport')
  const groups = Map.groupBy(records, ({ passport }) => passport.id)
  const rows = await query<{ id: number; fingerprint: string }>(
    `select id, fingerprint from passports where id in (${selectIds('$1')})`,
    [[...groups.keys()]],
  )
  return new Set(
    rows.flatMap(({ id, fingerprint }) => {
      const [only, ...others] = groups.get(id) ?? []
      const isSame = only && others.length === 0 && fingerprintOf(only, fingerprintPrefix) === fingerprint
      return isSame ? [only] : []
    }),
  )
}

/** The passports that a transaction removed, hid or showed again. */
type ChangedIds = { readonly [Change in 'remove' | 'hide' | 'unhide']?: readonly number[] }

/** Adds an audit entry for all merges of a transaction, one for all unmerges, one for all removals and so on. */
async function audit(
  { query }: Transaction,
  merges: Changes['merges'],
  ids: ChangedIds,
  actor: Actor = 'cli',
): Promise<void> {
  const [merge, unmerge]: [string[], string[]] = [[], []]
  for (const event of merges)
    if (event.type === 'passport.merged') merge.push(`${event.passportId} into ${event.into}`)
    else unmerge.push(`${event.passportId} from ${event.from}`)
  for (const [change, changed] of Object.entries({ merge, unmerge, ...ids })) {
    if (changed.length === 0) continue
    const detail = listSome('passports', changed)
    await addAuditEntry(query, { actor, action: `passports.${change}`, detail })
  }
}

/** Merges, unmerges, hides or removes passports. */
export async function changePassports(
  tx: Transaction,
  named: Partial<BatchKeys>,
  work: (model: WriteModel) => ChangedIds | undefined,
  by: { now: number; actor?: Actor | undefined },
): Promise<EventCursor> {
  const keys = { ids: [], addresses: [], removed: [], ...named }
  const model = await loadWriteModel(tx, keys)
  const ids = work(model) ?? {}
  const changes = await saveWriteModel(tx, model, BY_MERGE)
  await finish(tx, changes, ids, by)
  return findLogEnd(tx)
}

/** The changes of passports by people and clients. */
export const PASSPORT_CHANGES = defineData({
  name: 'passports',
  open: (database: Database) => createPassportChanges(database),
  writes: ['merge', 'unmerge', 'hide', 'remove'],
})

export function createPassportChanges({ transaction }: Database) {
  const change = (
    named: Partial<BatchKeys>,
    work: (model: WriteModel, now: number) => ChangedIds | undefined,
    now = Date.now(),
    actor?: Actor,
  ) => transaction((tx) => changePassports(tx, named, (model) => work(model, now), { now, actor }), 'records')

  return {
    /** Like `unmerge` and `remove`, returns the end of the event log. Throws `not_found`, or `invalid_request` if one of the two is merged already. */
    merge: (from: number, into: number, ...by: By) =>
      change({ ids: [from, into] }, (model) => merge(model, from, into), ...by),
    /** Throws `not_found`, or `invalid_request` if the passport is not merged. */
    unmerge: (id: number, ...by: By) => change({ ids: [id] }, (model) => unmerge(model, id), ...by),
    /** Hides a passport and those merged into it from every response, or shows them again. Throws `not_found`. */
    hide: (id: number, hidden: boolean, ...by: By) =>
      change(
        { ids: [id] },
        (model, now) => (hidden ? { hide: hide(model, id, now) } : { unhide: hide(model, id, null) }),
        ...by,
      ),
    /** Deletes the passport, if there is one, and those merged into it. Later records with this id or its wallets are ignored. */
    remove: (id: number, ...by: By) =>
      change({ removed: [id] }, (model, now) => ({ remove: remove(model, id, now, true) }), ...by),
  }
}

type By = [now?: number, actor?: Actor]

function keysOf(batch: readonly IncomingRecord[]): BatchKeys {
  const named = { ids: new Set<number>(), addresses: new Set<string>(), removed: new Set<number>() }
  for (const record of batch) {
    if (record.kind === 'removal') named.removed.add(record.id)
    else if (record.kind === 'passport') {
      named.ids.add(record.passport.id)
      if (record.passport.mergedInto !== undefined) named.ids.add(record.passport.mergedInto)
      for (const wallet of walletsOf(record.passport)) named.addresses.add(wallet)
    } else if ('id' in record.passport) named.ids.add(record.passport.id)
    else named.addresses.add(record.passport.wallet)
  }
  return named
}
