import type { Actor, EventContent } from '../../domain/history/event.ts'
import { walletsOf } from '../../domain/passport.ts'
import type { IncomingRecord } from '../../domain/record/record.ts'
import { fromCredentialData } from '../rows/credential.ts'
import { type StoredRow, toRecord } from '../rows/passport.ts'
import type { SaveOptions, SaveRecords, Store } from '../store.ts'
import { BY_MERGE, BY_RECORD } from '../write/event-tracker.ts'
import { createMerges } from '../write/merges.ts'
import { fingerprintOf, isChange, saveBatch } from '../write/record-writer.ts'
import { addAuditEntry, listSome } from './audit-log.ts'
import { type Database, listColumn, type Transaction } from './connection.ts'
import {
  type BatchKeys,
  loadWriteModel,
  mapCredentialRows,
  mapDataPoints,
} from './load-and-save-write-model.ts'
import { appendEvents, findLogEnd } from './write-events.ts'

export function createRecords({ read, transaction, snapshot }: Database): Store['records'] {
  return {
    save: (batch, options) => transaction((tx) => save(tx, batch, options), 'records'),
    saveWhole: (batch, options) => transaction((tx) => saveWhole(tx, batch, options), 'records'),
    async rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T> {
      let result: { value: T } | undefined
      try {
        await transaction(async (tx) => {
          // No events are appended, because that would lock the event log.
          result = { value: await work(async (...batch) => (await apply(tx, ...batch)).results) }
          throw new Rollback('A dry run is rolled back.')
        }, 'records')
      } catch (error) {
        if (!(error instanceof Rollback)) throw error
      }
      return (result as { value: T }).value
    },
    saveIfEmpty: (batch, options) =>
      transaction(async (tx) => {
        if ((await tx.query('select 1 as one from passports limit 1')).length > 0) return false
        await save(tx, batch, options)
        return true
      }, 'records'),
    list: (afterId, limit) =>
      snapshot(async (connection) => {
        const rest = 'where id > $1 order by id limit $2'
        const rows = await connection.selectRows<StoredRow>('passports', rest, [afterId, limit])
        const ids = rows.map(({ id }) => id)
        const [credentials, points] = await Promise.all([
          mapCredentialRows(connection, ids),
          mapDataPoints(connection, ids),
        ])
        return rows.map((row) => ({
          ...toRecord(row),
          credentials: fromCredentialData(credentials.get(row.id)),
          dataPoints: points.get(row.id) ?? [],
        }))
      }),
    listRemovals: () =>
      listColumn<number>(
        read.query,
        'select cast(passport_id as double precision) as id from removals order by passport_id',
      ),
  }
}

class Rollback extends Error {}

async function save(tx: Transaction, batch: readonly IncomingRecord[], options: SaveOptions) {
  const applied = await apply(tx, batch, options)
  await commit(tx, batch, applied, options)
  return applied.results
}

async function saveWhole(
  tx: Transaction,
  batch: readonly IncomingRecord[],
  { dryRun, ...given }: Omit<SaveOptions, 'strict'> & { dryRun: boolean },
) {
  const options = { ...given, isWhole: true }
  const applied = await prepare(tx, batch, options)
  const { results } = applied
  if (!dryRun && results.every(({ outcome }) => outcome !== 'refused')) {
    if (results.some(isChange)) await applied.write()
    await commit(tx, batch, applied, options)
  }
  return { results, end: await findLogEnd(tx) }
}

async function commit(
  tx: Transaction,
  batch: readonly IncomingRecord[],
  { results, changes }: ReturnType<typeof saveBatch>,
  options: SaveOptions,
): Promise<void> {
  const removed = results.flatMap((result) => ('removedIds' in result ? (result.removedIds ?? []) : []))
  await audit(tx, changes.events, removed, options.actor)
  await appendEvents(tx, changes, options)
  if (results.some(isChange)) await tx.increment('ranking')
  if (batch.some(({ kind }) => kind === 'removal')) tx.eraseRemoved()
}

async function apply(tx: Transaction, batch: readonly IncomingRecord[], options: SaveOptions) {
  const applied = await prepare(tx, batch, options)
  if (applied.results.some(isChange)) await applied.write()
  return applied
}

/** Applies the batch in memory. `write` writes the changed rows. */
async function prepare(tx: Transaction, batch: readonly IncomingRecord[], options: SaveOptions) {
  const unchanged = await findUnchanged(tx, batch, options)
  const named = keysOf(batch.filter((record) => !unchanged.has(record)))
  const { model, save: write } = await loadWriteModel(tx, named, BY_RECORD)
  return { ...saveBatch(model, batch, { ...options, unchanged }), write }
}

/** The records whose fingerprint is stored already. Most rows of their passports need not be read. */
async function findUnchanged(
  { query, dialect }: Transaction,
  batch: readonly IncomingRecord[],
  { fingerprintPrefix }: SaveOptions,
): Promise<ReadonlySet<IncomingRecord>> {
  if (batch.some(({ kind }) => kind === 'removal')) return new Set()
  const records = batch.filter((record) => record.kind === 'passport')
  const groups = Map.groupBy(records, ({ passport }) => passport.id)
  const rows = await query<{ id: number; fingerprint: string }>(
    `select cast(id as double precision) as id, fingerprint from passports where ${dialect.isIn('id', '$1')}`,
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

/** Adds an audit entry for all merges of a transaction, one for all unmerges and one for all removals. */
async function audit(
  { query }: Transaction,
  events: readonly EventContent[],
  removed: readonly number[],
  actor: Actor = 'cli',
): Promise<void> {
  const changes: Record<string, (string | number)[]> = { merge: [], unmerge: [], remove: [...removed] }
  for (const event of events)
    if (event.type === 'passport.merged') changes.merge?.push(`${event.passportId} into ${event.into}`)
    else if (event.type === 'passport.unmerged')
      changes.unmerge?.push(`${event.passportId} from ${event.from}`)
  for (const [change, ids] of Object.entries(changes).filter(([, { length }]) => length > 0)) {
    const detail = listSome('passports', ids)
    await addAuditEntry(query, { actor, action: `passports.${change}`, detail })
  }
}

/** Merges, unmerges and removes single passports. */
export function createPassportChanges({ transaction }: Database) {
  type Merges = ReturnType<typeof createMerges>
  type ChangeOptions = { now?: number | undefined; actor?: Actor | undefined }

  const change = (
    named: Partial<BatchKeys>,
    { now = Date.now(), actor }: ChangeOptions,
    work: (merges: Merges, now: number) => readonly number[] | undefined,
  ) =>
    transaction(async (tx) => {
      const keys = { ids: [], addresses: [], removed: [], ...named }
      const { model, save } = await loadWriteModel(tx, keys, BY_MERGE)
      const removed = work(createMerges(model), now) ?? []
      const changes = model.finish()
      await save()
      await audit(tx, changes.events, removed, actor)
      await appendEvents(tx, changes, { now, actor })
      const end = await findLogEnd(tx)
      await tx.increment('ranking')
      if (named.removed) tx.eraseRemoved()
      return end
    }, 'records')

  return {
    merge: (from, into, now, actor) =>
      change({ ids: [from, into] }, { now, actor }, (merges) => merges.merge(from, into)),
    unmerge: (id, now, actor) => change({ ids: [id] }, { now, actor }, (merges) => merges.unmerge(id)),
    remove: (id, now, actor) =>
      change({ removed: [id] }, { now, actor }, (merges, at) => merges.remove(id, at)),
  } satisfies Partial<Store['passports']>
}

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
