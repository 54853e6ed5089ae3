import Type, { type Static, type TSchema } from 'typebox'
import { closed, describedObject, orNull } from '../basics/schema-helpers.ts'
import { CAUSES, type EventType, PASSPORT_FIELDS } from './event.ts'

export const passportId = Type.Integer({ minimum: 0 })
const rules = orNull(Type.String(), 'The stamp of the rule set; null if the scores come from the record')
export const cause = Type.Enum([...CAUSES], {
  description:
    'Why the score changed: the credential was added or is gone, its value changed, the rule set changed, only time passed, the record has another score, a merge changed it, the category of a credential does not count, the rule set caps a category, or a calculated score replaced that of the record',
})
/** The schema of a pair of the values before and after a change. OpenAPI does not accept the tuples of TypeBox. */
export const pair = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Unsafe<[Static<Schema>, Static<Schema>]>(
    Type.Array(schema, { minItems: 2, maxItems: 2, description: `${description}: before and after` }),
  )
const change = (description: string) => pair(Type.Number(), description)
export const scoreOrNull = orNull(Type.Number())

const ChangedCredential = closed({
  type: Type.String(),
  score: pair(scoreOrNull, 'The score of the credential, null if the passport did not have it'),
  cause,
})

const ScoreChangedData = closed({
  score: change('The overall score'),
  activity_score: Type.Optional(change('The activity score')),
  identity_score: Type.Optional(change('The identity score')),
  skills_score: Type.Optional(change('The skills score')),
  human_checkmark: Type.Optional(pair(Type.Boolean(), 'The human checkmark')),
  last_calculated_at: Type.Optional(
    pair(Type.String({ format: 'date-time' }), 'The time of the last calculation'),
  ),
  rules,
  credentials: Type.Array(ChangedCredential),
  remainder: Type.Optional(
    describedObject('The part of the change that no credential explains, such as a cap', {
      delta: Type.Number(),
      cause,
    }),
  ),
})

/** The data of each event type. */
export const EventData = closed({
  'passport.added': closed({ score: Type.Number(), human_checkmark: Type.Boolean(), rules }),
  'passport.changed': closed({ fields: Type.Array(Type.Enum([...PASSPORT_FIELDS])) }),
  'passport.merged': closed({ into: passportId }),
  'passport.unmerged': closed({ from: passportId }),
  'passport.removed': closed({}),
  'score.changed': ScoreChangedData,
  'rules.changed': closed({ rules: pair(rules, 'The rule set') }),
} satisfies Record<EventType, TSchema>)
