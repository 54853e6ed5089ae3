import Type, { type Static } from 'typebox'
import { WriteResult } from '../../core/api/schemas.ts'
import { closed, describedObject } from '../../core/basics/schema-helpers.ts'
import { DataPointLine, PassportLine } from '../../core/passport/record-format.ts'

const countSchema = (description: string) => Type.Integer({ minimum: 0, description })

export const PassportRecord = Type.Object(PassportLine.properties, {
  description: 'A passport, or with `removed` the removal of one',
})

export const DataPointRecord = Type.Object(DataPointLine.properties, {
  description: 'A data point of a passport; `value` is needed unless it is `withdrawn`',
})

export const RecordsRequest = closed({
  records: Type.Array(Type.Union([PassportRecord, DataPointRecord]), { maxItems: 1000 }),
})

export const RecordsResult = describedObject('The result of a write', {
  added: countSchema('Passports and data points that are new'),
  changed: countSchema('Changed, removed or withdrawn'),
  unchanged: countSchema('Stored already'),
  removed: countSchema('Ignored, because the passport was removed before'),
  unknown_fields: countSchema('Fields that were ignored, because they are not known'),
  outcomes: Type.Array(
    closed({
      line: Type.Integer({ minimum: 1 }),
      outcome: Type.Enum(['added', 'changed', 'unchanged', 'removed']),
      passport_id: Type.Optional(
        Type.Integer({
          description: 'The passport that got the data point; only if it is another one, after a merge',
        }),
      ),
    }),
    { description: 'One for each record, in their order' },
  ),
  ...WriteResult.properties,
})

export const UnmergeResult = closed({
  ...WriteResult.properties,
  hidden: Type.Optional(
    Type.Literal(true, {
      description: 'Present if the passport stays hidden, because the other one is hidden',
    }),
  ),
})

export const MergeRequest = closed({
  into: Type.Integer({ minimum: 0, description: 'The id of the passport that survives' }),
})

export type WireRecordsResult = Static<typeof RecordsResult>
export type WireMergeRequest = Static<typeof MergeRequest>
