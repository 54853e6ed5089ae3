import type { Database } from 'bun:sqlite'
import type { Credential } from '../../domain/credential.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { applyScore, toScorable } from '../apply-score.ts'
import { STALE_COUNT } from '../rows/counts.ts'
import { fromCredentialData, isAsShown } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import { toV1CredentialsRow, toV1PassportRow } from '../rows/v1.ts'
import {
  ADOPTION_BATCH,
  FIND_BATCH_END,
  MARK_STALE,
  type MarkRange,
  nextMarkRange,
  stateAfterStep,
} from '../rule-adoption.ts'
import type { ScoringJob, ScoringStore } from '../store.ts'
import type { WriteModel } from '../write-model.ts'
import { isEnvironmentError } from './connect.ts'
import { createCredentialReader, createDataPointReader } from './credentials-and-points.ts'
import { createAdoption } from './settings.ts'
import { incrementRankingVersion } from './statements.ts'
import { createWriteModel } from './write-model.ts'

type Connections = { reader: Database; writer: Database; find: (ref: PassportRef) => number | undefined }

export function createScoring({ reader, writer, find }: Connections): ScoringStore {
  const model = createWriteModel(writer)
  const evidence = createEvidence(writer)
  const readEvidence = createEvidence(reader)
  const countStale = reader.query<{ count: number }, []>(STALE_COUNT)
  const listAfter = reader.query<StoredRow, [number, number]>(
    'select * from passports where merged_into is null and id > ? order by id limit ?',
  )
  const listIn = reader.query<StoredRow, [string]>(
    'select * from passports where id in (select value from json_each(?))',
  )
  const work = prepareWork(writer, model, evidence)
  const adopt = prepareAdoption(writer)
  const markStale = createMarker(writer)
  const markBatch = writer.transaction((after: number) =>
    markStale({ after, except: null, withRecordScores: true }),
  )

  return {
    work: (limit, job) => work.immediate(limit, job),
    find(ref: PassportRef) {
      const id = find(ref)
      const row = id === undefined ? undefined : model.passports.find(id)
      return row && load(row, evidence).scorable
    },
    listByIds: (ids) => listIn.all(`[${ids}]`).map((row) => load(row, readEvidence).scorable),
    list: (afterId, limit) => listAfter.all(afterId, limit).map((row) => load(row, readEvidence).scorable),
    countStale: () => countStale.get()?.count ?? 0,
    markAll() {
      for (let after: number | undefined = -1; after !== undefined; after = markBatch.immediate(after));
    },
    adopt: (rules) => adopt.immediate(rules),
  }
}

/** The readers of a passport's credentials and data points. */
type Evidence = ReturnType<typeof createEvidence>

const createEvidence = (database: Database) => ({
  credentials: createCredentialReader(database),
  dataPoints: createDataPointReader(database),
})

function load(row: StoredRow, { credentials, dataPoints }: Evidence) {
  const stored = credentials.find(row.id)
  const all = fromCredentialData(stored)
  return { all, isShown: isAsShown(stored), scorable: toScorable(row, all, dataPoints.list(row.id)) }
}

/** Scores and saves stale passports in one transaction. */
function prepareWork(writer: Database, model: WriteModel, evidence: Evidence) {
  const listStale = writer.query<StoredRow, [number]>(
    'select * from passports where stale <> 0 and stale = 1 order by id limit ?',
  )
  const markUnscorable = writer.query('update passports set stale = 2 where id = ?')
  return writer.transaction((limit: number, job: ScoringJob) => {
    if ((model.rules() ?? job.rules) !== job.rules) return undefined
    const rows = listStale.all(limit)
    for (const row of rows) {
      try {
        saveScore(row, job, model, evidence)
      } catch (error) {
        if (isEnvironmentError(error)) throw error
        // A failed passport must not block the others.
        markUnscorable.run(row.id)
        job.onFailure(row.id, error)
      }
    }
    if (rows.length > 0) incrementRankingVersion(writer)
    return rows.length
  })
}

/** All steps that may fail come before the first write: a failed passport stays unchanged. */
function saveScore(
  before: StoredRow,
  { rules, now, score }: ScoringJob,
  model: WriteModel,
  evidence: Evidence,
) {
  const { all, isShown, scorable } = load(before, evidence)
  const { row, credentials } = applyScore(before, all, score(scorable), { rules, now })
  const isUnchanged = isShown && isSameList(all, credentials)
  const isListed = row.merged_into === null
  const v1 = isListed && toV1PassportRow(row, model.passports.listMerged(row.id).length > 0)
  const shown = isListed && !isUnchanged && toV1CredentialsRow(row.id, credentials)
  model.passports.put(row)
  if (v1) model.v1.putPassport(v1)
  if (isUnchanged) return
  model.credentials.put(row.id, credentials, isListed)
  if (shown) model.v1.putCredentials(shown)
}

function prepareAdoption(writer: Database) {
  const adoption = createAdoption(writer)
  const markStale = createMarker(writer)
  return writer.transaction((rules: string) => {
    const state = adoption.find()
    const range = nextMarkRange(state, rules)
    if (!range) return true
    const end = markStale(range)
    adoption.save(stateAfterStep(state, rules, end))
    return end === undefined
  })
}

/** Unchanged credentials are the same objects. */
const isSameList = (before: readonly Credential[], after: readonly Credential[]) =>
  before.length === after.length && after.every((credential) => before.includes(credential))

/** Marks one batch; returns its last id, or `undefined` after the last passport. */
function createMarker(writer: Database) {
  const findEnd = writer.query<{ id: number | null }, [number, number]>(FIND_BATCH_END)
  const mark = writer.query<unknown, [number, number, string | null, boolean]>(MARK_STALE)
  return ({ after, except, withRecordScores }: MarkRange): number | undefined => {
    const end = findEnd.get(after, ADOPTION_BATCH)?.id ?? undefined
    if (end === undefined) return undefined
    if (mark.all(after, end, except, withRecordScores).length > 0) incrementRankingVersion(writer)
    return end
  }
}
