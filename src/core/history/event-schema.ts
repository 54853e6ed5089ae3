import Type, { type Static } from 'typebox'
import { closed, describedObject, instant, orNull } from '../basics/schema-helpers.ts'
import { EVENT_TYPES, type EventType } from './event.ts'
import { cause, EventData, pair, passportId, scoreOrNull } from './event-data.ts'

export const ScoreChangedData = EventData.properties['score.changed']

const id = Type.String({
  description: 'The name of the log and the number of the event, such as `k3f9a2-918273`',
})
const hex = (description: string) => Type.String({ description: `${description}, in hexadecimal` })

/** A CloudEvents 1.0 object. */
export const Event = describedObject('A change of a passport or of the rule set', {
  specversion: Type.Literal('1.0'),
  id,
  source: Type.String({ format: 'uri-reference' }),
  type: Type.Enum([...EVENT_TYPES]),
  subject: Type.Optional(
    Type.String({ description: 'The id of the passport; absent for changes of the rule set' }),
  ),
  time: Type.String({ format: 'date-time' }),
  data: Type.Unsafe<Static<typeof EventData>[EventType]>(Type.Union(Object.values(EventData.properties))),
  salt: Type.Optional(hex('With `include=proof`: the salt of the leaf, empty if it has none')),
})

export const Tombstone = describedObject(
  'What is left of an event of a removed passport; only with `include=proof`',
  { id, type: Type.Literal('tombstone'), leaf: hex('The leaf of the removed event') },
)

export const Log = describedObject('The hash chain of the event log', {
  log: Type.String({ description: 'The name of the log. It changes when a backup is restored' }),
  first: Type.Integer({ description: 'The number of the oldest event; older ones were deleted' }),
  length: Type.Integer({ description: 'The number of the last event that `head` covers' }),
  last: Type.Integer({ description: 'The number of the last event' }),
  base: hex('The head before the event `first`'),
  head: hex('The head after the event `length`'),
  time: instant('The time of the response'),
  signed: orNull(Type.String(), 'A JWT with these members, by a key of `/.well-known/jwks.json`; or null'),
})

export const EventPage = closed({
  items: Type.Array(Type.Union([Event, Tombstone]), { description: 'Oldest first' }),
  next: Type.String({
    description:
      'The cursor to continue after. If it is the cursor of the request, there are no newer events yet',
  }),
})

export const Diff = describedObject('The net change of a score, and why', {
  passport_id: passportId,
  from: Type.String({ format: 'date-time' }),
  to: Type.String({ format: 'date-time' }),
  score: pair(scoreOrNull, 'The overall score, null if the passport did not exist'),
  causes: Type.Array(
    closed({
      type: orNull(
        Type.String(),
        'The type of the credential; null for the part that no credential explains, such as a cap',
      ),
      delta: Type.Number(),
      cause,
    }),
    { description: 'They add up to the difference; the largest first' },
  ),
})

export type WireEvent = Static<typeof Event>
export type WireTombstone = Static<typeof Tombstone>
export type WireLog = Static<typeof Log>
export type WireEventPage = Static<typeof EventPage>
export type WireDiff = Static<typeof Diff>
export type WireEventData = WireEvent['data']
