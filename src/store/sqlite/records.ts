import type { Database } from 'bun:sqlite'
import type { IncomingRecord } from '../../domain/record/record.ts'
import { type StoredRow, toRecord } from '../rows/passport.ts'
import type { SaveOptions, Store } from '../store.ts'
import { BY_MERGE, BY_RECORD } from '../write/event-tracker.ts'
import { createMerges } from '../write/merges.ts'
import { createRecordWriter, isChange } from '../write/record-writer.ts'
import { trackChanges } from '../write/v1-renderer.ts'
import { throwTranslated } from './connection/connect.ts'
import { incrementRankingVersion } from './connection/statements.ts'
import { truncateWal } from './connection/wal-checkpoint.ts'
import { createCredentialReader, createDataPointReader } from './credentials-and-points.ts'
import { createEventWriter } from './events.ts'
import { createWriteModel } from './write-model.ts'

export function createRecords({ reader, writer }: { reader: Database; writer: Database }) {
  const model = createWriteModel(writer)
  const credentials = createCredentialReader(reader)
  const dataPoints = createDataPointReader(reader)
  const anyPassport = writer.query('select 1 from passports limit 1')
  const listRows = reader.query<StoredRow, [number, number]>(
    'select * from passports where id > ? order by id limit ?',
  )
  const listRemovals = reader.query<{ passport_id: number }, []>(
    'select passport_id from removals order by passport_id',
  )

  const events = createEventWriter(writer)

  const save = writer.transaction((batch: readonly IncomingRecord[], options: SaveOptions) => {
    const { results, changes } = createRecordWriter(trackChanges(model, BY_RECORD)).save(batch, options)
    events.append(changes, options.now)
    if (results.some(isChange)) incrementRankingVersion(writer)
    return results
  })

  /** One transaction: a passport and its credentials are consistent. */
  const list = reader.transaction((afterId: number, limit: number) =>
    listRows.all(afterId, limit).map((row) => ({
      ...toRecord(row),
      credentials: credentials.listAll(row.id),
      dataPoints: dataPoints.list(row.id),
    })),
  )

  const saveIfEmpty = writer.transaction((batch: readonly IncomingRecord[], options: SaveOptions) => {
    if (anyPassport.get() !== null) return false
    save(batch, options)
    return true
  })

  return {
    save(batch, options) {
      const results = save.immediate(batch, options)
      if (batch.some(({ kind }) => kind === 'removal')) truncateWal(writer)
      return results
    },
    async rollBack(work) {
      writer.run('begin immediate')
      try {
        // Nested transactions are savepoints.
        return await work(save)
      } catch (error) {
        return throwTranslated(writer.filename, error)
      } finally {
        // An error may have ended the transaction.
        if (writer.inTransaction) writer.run('rollback')
      }
    },
    saveIfEmpty: (batch, options) => saveIfEmpty.immediate(batch, options),
    list: (afterId, limit) => list(afterId, limit),
    listRemovals: () => listRemovals.all().map((row) => row.passport_id),
  } satisfies Store['records']
}

/** Merge, unmerge and removal of single passports. */
export function createPassportChanges(writer: Database) {
  const model = createWriteModel(writer)
  const events = createEventWriter(writer)
  type Merges = ReturnType<typeof createMerges>
  const change = writer.transaction((now: number, work: (merges: Merges) => void) => {
    const tracked = trackChanges(model, BY_MERGE)
    work(createMerges(tracked))
    events.append(tracked.finish(), now)
    incrementRankingVersion(writer)
  })

  return {
    merge: (from, into, now = Date.now()) => change.immediate(now, (merges) => merges.merge(from, into)),
    unmerge: (id, now = Date.now()) => change.immediate(now, (merges) => merges.unmerge(id)),
    remove(id, now) {
      change.immediate(now, (merges) => void merges.remove(id, now))
      // The WAL holds older copies of the removed rows.
      truncateWal(writer)
    },
  } satisfies Partial<Store['passports']>
}
