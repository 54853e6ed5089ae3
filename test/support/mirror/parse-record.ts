import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import { parseRecord } from '../../../src/core/passport/parse-record.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { rawKindOf } from '../../../src/core/passport/rules/rule-set.ts'
import { DEFAULT_RULES } from '../../../src/core/scoring/stamped-rule-set.ts'
import { NOON } from '../store/records.ts'

const options = { now: NOON, rescore: false, rawKindOf: (type: string) => rawKindOf(DEFAULT_RULES, type) }

export const parse = (line: object, given: Partial<typeof options> = {}) =>
  parseRecord(line, { ...options, ...given })

export function parsePassport(line: object, given: Partial<typeof options> = {}): PassportRecord {
  const { record } = parse({ passport_id: 7, ...line }, given)
  if (record.kind !== 'passport') throw new Error(`a ${record.kind}`)
  return record.passport
}

export function parsePoint(line: object): DataPoint {
  const { record } = parse({ passport: 7, type: 'github', value: 1, ...line })
  if (record.kind !== 'data-point') throw new Error(`a ${record.kind}`)
  return record.point
}

export const nulls = (fields: object) => Object.fromEntries(Object.keys(fields).map((field) => [field, null]))

export const CREDENTIAL = {
  id: 'c-1',
  type: 'kite',
  name: 'Kites',
  category: 'Skills',
  score: 4,
  max_score: 10,
  value: '3 kites',
  earned_at: '2020-05-06',
  last_calculated_at: '2024-09-27T09:18:56Z',
}
