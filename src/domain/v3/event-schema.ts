import Type, { type Static } from 'typebox'
import { CAUSES, EVENT_TYPES, PASSPORT_FIELDS } from './event.ts'

const closed = { additionalProperties: false }
const passportId = Type.Integer({ minimum: 0 })
const rules = Type.Union([Type.String(), Type.Null()], {
  description: 'The stamp of the rule set; null if the scores come from the record',
})
const cause = Type.Enum([...CAUSES], {
  description:
    'Why the score changed: the credential was added or is gone, its value changed, the rule set changed, only time passed, the record has another score, or a merge changed it',
})
const change = (description: string) =>
  Type.Tuple([Type.Number(), Type.Number()], { description: `${description}: before and after` })

const ChangedCredential = Type.Object(
  {
    type: Type.String(),
    score: Type.Tuple([Type.Union([Type.Number(), Type.Null()]), Type.Union([Type.Number(), Type.Null()])], {
      description: 'Before and after; null if the passport did not have the credential',
    }),
    cause,
  },
  closed,
)

export const ScoreChangedData = Type.Object(
  {
    score: change('The overall score'),
    activity_score: Type.Optional(change('The activity score')),
    identity_score: Type.Optional(change('The identity score')),
    skills_score: Type.Optional(change('The skills score')),
    human_checkmark: Type.Optional(Type.Tuple([Type.Boolean(), Type.Boolean()])),
    last_calculated_at: Type.Optional(
      Type.Tuple([Type.String({ format: 'date-time' }), Type.String({ format: 'date-time' })]),
    ),
    rules,
    credentials: Type.Array(ChangedCredential),
    remainder: Type.Optional(
      Type.Object(
        { delta: Type.Number(), cause },
        { ...closed, description: 'The part of the change that no credential explains, such as a cap' },
      ),
    ),
  },
  closed,
)

/** In the order of the event types. */
const Data = Type.Union([
  Type.Object({ score: Type.Number(), human_checkmark: Type.Boolean(), rules }, closed),
  Type.Object({ fields: Type.Array(Type.Enum([...PASSPORT_FIELDS])) }, closed),
  Type.Object({ into: passportId }, closed),
  Type.Object({ from: passportId }, closed),
  Type.Object({}, closed),
  ScoreChangedData,
  Type.Object({ rules: Type.Tuple([rules, rules]) }, closed),
])

/** A CloudEvents 1.0 object. */
export const Event = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({
      description: 'The name of the log and the number of the event, such as `k3f9a2-918273`',
    }),
    source: Type.String({ format: 'uri-reference' }),
    type: Type.Enum([...EVENT_TYPES]),
    subject: Type.Optional(
      Type.String({ description: 'The id of the passport; absent for changes of the rule set' }),
    ),
    time: Type.String({ format: 'date-time' }),
    data: Data,
  },
  { ...closed, description: 'A change of a passport or of the rule set' },
)

export type WireEvent = Static<typeof Event>
export type WireEventData = WireEvent['data']
