import { isScored, sumScores } from '../../passport/credential.ts'
import { NO_SCORES } from '../../passport/passport.ts'
import type { PassportRecord } from '../../passport/record.ts'
import {
  type Given,
  readGiven,
  type StoredRow,
  type toRecordRow,
  toScoreRow,
  toScores,
} from '../rows/passport.ts'
import { listCredentials, listDataPoints, type WriteModel } from './write-model.ts'

type Rows = { recordRow: ReturnType<typeof toRecordRow>; before: StoredRow | undefined; now: number }

/** The score columns after a record is saved. Old scores stay until the scorer has calculated new ones. */
export function stateOf(model: WriteModel, record: PassportRecord, { recordRow, before, now }: Rows) {
  const kept = before && keptInputs(model, record)
  const stale =
    record.stale === true ||
    (record.rules !== undefined && record.rules !== (model.rules ?? record.rules)) ||
    (before !== undefined && !isSameGiven(before, recordRow, ({ human_checkmark }) => human_checkmark)) ||
    kept === 'some' ||
    (kept === 'all' && (before?.stale !== 0 || !isExplained(model, before, recordRow))) ||
    !addsUp(record)
  const scored = stale || kept === 'all' ? before : undefined
  return {
    ...toScoreRow(scored ? toScores(scored) : (record.scores ?? NO_SCORES)),
    stale: Number(stale),
    calculated_at: (scored ? scored.calculated_at : record.calculatedAt) ?? before?.calculated_at ?? now,
    human: Number(record.human || scored?.human === 1),
    merged_into: record.mergedInto ?? before?.merged_into ?? null,
    rules: scored ? scored.rules : (record.rules ?? ''),
    rescore_at: before?.rescore_at ?? null,
    hidden_at: before?.hidden_at ?? null,
  }
}

/** Which of the stored credentials and data points stay, because the record has none. `undefined` if nothing stays. */
function keptInputs(model: WriteModel, { id, credentials, dataPoints }: PassportRecord) {
  const keepsCredentials = credentials === undefined && listCredentials(model, id).length > 0
  const keepsPoints = dataPoints === undefined && listDataPoints(model, id).length > 0
  if (!keepsCredentials && !keepsPoints) return undefined
  return credentials || dataPoints ? 'some' : 'all'
}

/** Whether the stored inputs give the stored score, so that the scores of the record are not shown. */
const isExplained = (model: WriteModel, before: StoredRow, recordRow: Rows['recordRow']) =>
  isScored(listCredentials(model, before.id)) || isSameGiven(before, recordRow, toScores)

/** Most changed records give the same. */
const isSameGiven = (before: StoredRow, recordRow: Rows['recordRow'], pick: (given: Given) => unknown) =>
  before.given === recordRow.given || Bun.deepEquals(pick(readGiven(before)), pick(readGiven(recordRow)))

/** Whether the scores equal the sums of the credentials. If not, they must be calculated again. */
function addsUp(record: PassportRecord): boolean {
  const { scores, credentials, dataPoints, credentialPoints, rules } = record
  // These data points are not part of the scores, because no rule set has scored them.
  if (credentialPoints?.length || (dataPoints?.length && rules === undefined)) return false
  // Without scored credentials there is nothing to compare.
  if (!credentials || !isScored(credentials)) return true
  if (scores === undefined) return false
  const sums = sumScores(credentials)
  // The total may be below the sum, because a rule set may cap a category.
  const isSame = (['activity', 'identity', 'skills'] as const).every((part) => scores[part] === sums[part])
  return isSame && scores.total <= sums.total
}
