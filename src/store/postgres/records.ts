import { walletsOf } from '../../domain/passport.ts'
import type { IncomingRecord } from '../../domain/record/record.ts'
import { type StoredRow, toRecord } from '../rows/passport.ts'
import type { SaveOptions, SaveRecords, SaveResult, Store } from '../store.ts'
import { BY_MERGE, BY_RECORD } from '../write/event-tracker.ts'
import { createMerges } from '../write/merges.ts'
import { createRecordWriter, isChange } from '../write/record-writer.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { lockForWriting } from './connection/locks.ts'
import { type Query, selectRows } from './connection/query.ts'
import { mapCredentials, mapDataPoints } from './credentials-and-points.ts'
import { appendEvents } from './events.ts'
import { incrementVersion } from './versions.ts'
import { type BatchKeys, loadWriteModel } from './write-model.ts'

export function createRecords({ longQuery, transaction }: Pool) {
  async function saveIn(query: Query, batch: readonly IncomingRecord[], options: SaveOptions) {
    const { model, save } = await loadWriteModel(query, keysOf(batch), BY_RECORD)
    const { results, changes } = createRecordWriter(model).save(batch, options)
    const isChanged = results.some(isChange)
    if (isChanged) await save()
    return { results, changes, isChanged }
  }

  async function saveAndAnnounce(query: Query, batch: readonly IncomingRecord[], options: SaveOptions) {
    const { results, changes, isChanged } = await saveIn(query, batch, options)
    await appendEvents(query, changes, options.now)
    if (isChanged) await incrementVersion(query, 'ranking')
    return results
  }

  return {
    save: (batch, options) =>
      transaction(async (query): Promise<SaveResult[]> => {
        await lockForWriting(query)
        return saveAndAnnounce(query, batch, options)
      }),
    async rollBack<T>(work: (save: SaveRecords) => Promise<T>): Promise<T> {
      let result: { value: T } | undefined
      try {
        await transaction(async (query) => {
          await lockForWriting(query)
          // Without events: the event log would stay locked.
          result = { value: await work(async (...batch) => (await saveIn(query, ...batch)).results) }
          throw new Rollback('A dry run is rolled back.')
        })
      } catch (error) {
        if (!(error instanceof Rollback)) throw error
      }
      return (result as { value: T }).value
    },
    saveIfEmpty: (batch, options) =>
      transaction(async (query) => {
        await lockForWriting(query)
        if ((await query('select 1 as one from passports limit 1')).length > 0) return false
        await saveAndAnnounce(query, batch, options)
        return true
      }),
    /** One snapshot: a passport and its credentials are consistent. */
    list: (afterId, limit) =>
      transaction(async (query) => {
        const rows = await selectRows<StoredRow>(query, 'passports', 'where id > $1 order by id limit $2', [
          afterId,
          limit,
        ])
        const ids = rows.map(({ id }) => id)
        const [credentials, points] = await Promise.all([
          mapCredentials(query, ids),
          mapDataPoints(query, ids),
        ])
        return rows.map((row) => ({
          ...toRecord(row),
          credentials: credentials.get(row.id) ?? [],
          dataPoints: points.get(row.id) ?? [],
        }))
      }, 'isolation level repeatable read read only'),
    async listRemovals() {
      const rows = await longQuery<{ id: number }>(
        'select passport_id::float8 as id from removals order by passport_id',
      )
      return rows.map(({ id }) => id)
    },
  } satisfies Store['records']
}

class Rollback extends Error {}

/** Merge, unmerge and removal of single passports. */
export function createPassportChanges({ transaction }: Pool) {
  type Merges = ReturnType<typeof createMerges>

  async function change(named: Partial<BatchKeys>, now: number, work: (merges: Merges) => void) {
    await transaction(async (query) => {
      await lockForWriting(query)
      const keys = { ids: [], addresses: [], removed: [], ...named }
      const { model, save } = await loadWriteModel(query, keys, BY_MERGE)
      work(createMerges(model))
      const changes = model.finish()
      await save()
      await appendEvents(query, changes, now)
      await incrementVersion(query, 'ranking')
    })
  }

  return {
    merge: (from, into, now = Date.now()) =>
      change({ ids: [from, into] }, now, (merges) => merges.merge(from, into)),
    unmerge: (id, now = Date.now()) => change({ ids: [id] }, now, (merges) => merges.unmerge(id)),
    remove: (id, now) => change({ removed: [id] }, now, (merges) => void merges.remove(id, now)),
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
