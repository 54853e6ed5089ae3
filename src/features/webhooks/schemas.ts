import Type, { type Static } from 'typebox'
import { closed, describedObject, instant, orNull } from '../../core/basics/schema-helpers.ts'
import { EVENT_TYPES } from '../../core/history/event.ts'
import { passportId } from '../../core/history/event-data.ts'
import { SUBSCRIPTION_STATES } from './subscription.ts'

const url = Type.String({ format: 'uri', description: 'The https URL that receives the events' })
const types = Type.Array(Type.Enum([...EVENT_TYPES]), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'Only events of these types',
})
const passport = Type.Union([Type.String(), Type.Integer({ minimum: 0 })], {
  description: 'Only events of this passport: an id, a wallet or a handle',
})
const score = Type.Object(
  {
    above: Type.Optional(Type.Number({ description: 'The score rises to this value or higher' })),
    below: Type.Optional(Type.Number({ description: 'The score falls to this value or lower' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description:
      'Only events in which the overall score reaches or crosses a threshold; also `passport.added` with a score of at least `above`',
  },
)
const after = Type.String({
  description: 'A cursor: the events after it are delivered. `latest` is the end of the log, and the default',
})

export const SubscriptionRequest = closed({
  url,
  types: Type.Optional(types),
  passport: Type.Optional(passport),
  score: Type.Optional(score),
  after: Type.Optional(after),
})

export const SubscriptionPatch = closed({
  url: Type.Optional(url),
  types: Type.Optional(orNull(types, 'null: events of all types')),
  passport: Type.Optional(orNull(passport, 'null: events of all passports')),
  score: Type.Optional(orNull(score, 'null: no condition')),
  after: Type.Optional(after),
  state: Type.Optional(Type.Enum(['active', 'paused'])),
})

const time = (description: string) => orNull(Type.String({ format: 'date-time' }), description)

export const Subscription = describedObject('A webhook: a position in the event log with a URL', {
  id: Type.String(),
  url,
  types: orNull(types, 'null: events of all types'),
  passport: orNull(passportId, 'null: events of all passports'),
  score: orNull(score, 'null: no condition'),
  state: Type.Enum([...SUBSCRIPTION_STATES], {
    description:
      '`failed`: nothing could be delivered for three days. `disabled`: the receiver responded 410. Setting `active` resumes',
  }),
  cursor: Type.String({ description: 'The events after this one are still to be delivered' }),
  lag: Type.Integer({ minimum: 0, description: 'Number of events after the cursor' }),
  failures: Type.Integer({ minimum: 0, description: 'Failed attempts since the last delivery' }),
  last_error: orNull(Type.String(), 'Why the last attempt failed; null if it did not'),
  notice: orNull(Type.String(), 'Which events were lost to the subscription because they left the log'),
  next_attempt_at: time('null if the subscription does not wait for a retry'),
  last_delivered_at: time('null if nothing was delivered yet'),
  created_at: instant('Time of the creation'),
  public_key: Type.String({ description: '`whpk_...`: verifies `v1a` signatures (Ed25519)' }),
  secret: Type.Optional(
    Type.String({
      description: '`whsec_...`: verifies `v1` signatures (HMAC). Only in the response that creates it',
    }),
  ),
})

export const SubscriptionList = closed({
  items: Type.Array(Subscription, { description: 'The subscriptions of the key, oldest first' }),
})

export type WireSubscription = Static<typeof Subscription>
export type WireSubscriptionRequest = Static<typeof SubscriptionRequest>
export type WireSubscriptionPatch = Static<typeof SubscriptionPatch>
