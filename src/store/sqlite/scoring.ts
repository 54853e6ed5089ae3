import type { Database } from 'bun:sqlite'
import type { EventContent } from '../../domain/history/event.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { type StoredRow, toFullPassport } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1ScoreRow, type V1PassportRow, type V1ScoreRow } from '../rows/v1.ts'
import { STALE_COUNT } from '../sql/counts.ts'
import type { AdoptionJob, ScoringJob, ScoringStore } from '../store.ts'
import { isAffected, scorePassport, toLoadedScorable } from '../write/apply-score.ts'
import {
  ADOPTION_BATCH,
  FIND_BATCH_END,
  MARK_RANGE,
  nextRange,
  SCORED_BY_OTHERS,
  stateAfterStep,
  toRulesChanged,
} from '../write/rule-adoption.ts'
import type { WriteModel } from '../write/write-model.ts'
import { isEnvironmentError } from './connection/connect.ts'
import { incrementRankingVersion, NEXT_VERSION } from './connection/statements.ts'
import { createCredentialReader, createDataPointReader } from './credentials-and-points.ts'
import { createEventWriter } from './events.ts'
import { createFinder } from './passports.ts'
import { createAdoption } from './settings.ts'
import { createWriteModel } from './write-model.ts'

type Connections = { reader: Database; writer: Database }

export function createScoring({ reader, writer }: Connections): ScoringStore {
  const model = createWriteModel(writer)
  const evidence = createEvidence(writer)
  const readEvidence = createEvidence(reader)
  const find = createFinder(reader)
  const countStale = reader.query<{ count: number }, []>(STALE_COUNT)
  const listAfter = reader.query<StoredRow, [number, number]>(
    'select * from passports where merged_into is null and id > ? order by id limit ?',
  )
  const listIn = reader.query<StoredRow, [string]>(
    'select * from passports where id in (select value from json_each(?))',
  )
  const work = prepareWork(writer, model, evidence)
  const adopt = prepareAdoption(writer, evidence)
  const markBatch = prepareMarking(writer)

  return {
    work: (limit, job) => work.immediate(limit, job),
    find: reader.transaction((ref: PassportRef) => {
      const row = find(ref)
      return row && { ...load(row, readEvidence).scorable, passport: toFullPassport(row, row.merged === 1) }
    }),
    listByIds: (ids) => listIn.all(`[${ids}]`).map((row) => load(row, readEvidence).scorable),
    list: (afterId, limit) => listAfter.all(afterId, limit).map((row) => load(row, readEvidence).scorable),
    countStale: () => countStale.get()?.count ?? 0,
    markAll() {
      for (let after: number | undefined = -1; after !== undefined; after = markBatch.immediate(after));
    },
    adopt: (job) => adopt.immediate(job),
  }
}

/** The readers of a passport's credentials and data points. */
type Evidence = ReturnType<typeof createEvidence>

const createEvidence = (database: Database) => ({
  credentials: createCredentialReader(database),
  dataPoints: createDataPointReader(database),
})

const load = (row: StoredRow, { credentials, dataPoints }: Evidence) =>
  toLoadedScorable(row, credentials.find(row.id), dataPoints.list(row.id))

/** Scores and saves stale passports in one transaction. */
function prepareWork(writer: Database, model: WriteModel, evidence: Evidence) {
  const listStale = writer.query<StoredRow, [number]>(
    'select * from passports where stale <> 0 and stale = 1 order by id limit ?',
  )
  const markUnscorable = writer.query('update passports set stale = 2 where id = ?')
  const scores = createScoreTable(writer)
  const log = createEventWriter(writer)
  return writer.transaction((limit: number, job: ScoringJob) => {
    if ((model.rules() ?? job.rules) !== job.rules) return undefined
    const rows = listStale.all(limit)
    const events: EventContent[] = []
    for (const row of rows) {
      try {
        events.push(...saveScore(row, job, { model, scores, evidence }))
      } catch (error) {
        if (isEnvironmentError(error)) throw error
        // A failed passport must not block the others.
        markUnscorable.run(row.id)
        job.onFailure(row.id, error)
      }
    }
    log.append({ events, removed: [] }, job.now)
    if (rows.length > 0) incrementRankingVersion(writer)
    return rows.length
  })
}

type Tables = { model: WriteModel; scores: ReturnType<typeof createScoreTable>; evidence: Evidence }

/** The columns that scoring changes. */
function createScoreTable(writer: Database) {
  const put = writer.query(
    `update passports set score = $score, activity_score = $activity_score, identity_score = $identity_score,
       skills_score = $skills_score, human = $human, stale = $stale, calculated_at = $calculated_at, rules = $rules
     where id = $id`,
  )
  const findMoreFields = writer.query<Pick<V1PassportRow, 'more_fields'>, [number]>(
    'select more_fields from v1_passports where passport_id = ?',
  )
  const putV1 = writer.query(
    `update v1_passports set score = $score, fields = $fields, etag = $etag, version = ${NEXT_VERSION}
     where passport_id = $passport_id and etag <> $etag`,
  )
  return {
    put: (row: StoredRow) => void put.run(row),
    getMoreFields: (id: number) => (findMoreFields.get(id) as V1PassportRow).more_fields,
    putV1: (row: V1ScoreRow) => void putV1.run(row),
  }
}

/** All steps that may fail come before the first write: a failed passport stays unchanged. Returns its events. */
function saveScore(before: StoredRow, job: ScoringJob, { model, scores, evidence }: Tables): EventContent[] {
  const { row, credentials, isUnchanged, event } = scorePassport(load(before, evidence), job)
  const isListed = row.merged_into === null
  const v1 = isListed && toV1ScoreRow(row, scores.getMoreFields(row.id))
  const shown = isListed && !isUnchanged && toV1CredentialsRow(row.id, credentials)
  scores.put(row)
  if (v1) scores.putV1(v1)
  if (!isUnchanged) model.credentials.put(row.id, credentials, isListed)
  if (shown) model.v1.putCredentials(shown)
  return event ? [event] : []
}

/** Compares one batch with a rule set, and marks the affected passports. Returns whether it was the last batch. */
function prepareAdoption(writer: Database, evidence: Evidence) {
  const adoption = createAdoption(writer)
  const findEnd = createEndFinder(writer)
  const list = writer.query<StoredRow, [number, number, string, boolean]>(
    `select * from passports ${SCORED_BY_OTHERS}`,
  )
  const mark = writer.query('update passports set stale = 1 where id in (select value from json_each(?))')
  const log = createEventWriter(writer)

  function compare(after: number, end: number, job: AdoptionJob, withRecordScores: boolean): void {
    const rows = list.all(after, end, job.rules, withRecordScores)
    const affected = rows.filter((row) => isAffected(load(row, evidence), job))
    if (affected.length === 0) return
    mark.run(`[${affected.map(({ id }) => id)}]`)
    incrementRankingVersion(writer)
  }

  return writer.transaction((job: AdoptionJob) => {
    const state = adoption.find()
    const range = nextRange(state, job.rules)
    if (!range) return true
    log.append({ events: toRulesChanged(state, job.rules), removed: [] }, job.now)
    const end = findEnd(range.after)
    if (end !== undefined) compare(range.after, end, job, range.withRecordScores)
    adoption.save(stateAfterStep(state, job.rules, end))
    return end === undefined
  })
}

/** Marks one batch; returns its last id, or `undefined` after the last passport. */
function prepareMarking(writer: Database) {
  const findEnd = createEndFinder(writer)
  const mark = writer.query<unknown, [number, number]>(MARK_RANGE)
  return writer.transaction((after: number): number | undefined => {
    const end = findEnd(after)
    if (end !== undefined && mark.run(after, end).changes > 0) incrementRankingVersion(writer)
    return end
  })
}

function createEndFinder(writer: Database) {
  const find = writer.query<{ id: number | null }, [number, number]>(FIND_BATCH_END)
  return (after: number) => find.get(after, ADOPTION_BATCH)?.id ?? undefined
}
