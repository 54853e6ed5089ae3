import Type, { type TProperties } from 'typebox'
import { closed, describedObject, orNull, score } from '../../core/basics/schema-helpers.ts'

const texts = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<
    Name,
    ReturnType<typeof Type.String>
  >
const nullableCount = () => orNull(Type.Integer({ minimum: 0 }), 'null if unknown')

export const LaterScore = describedObject('The score of a person', {
  ...texts('slug', 'last_calculated_at'),
  points: score('The overall score'),
  rank_position: orNull(Type.Integer({ minimum: 1 }), 'The rank; null while the index is built'),
  calculating_score: Type.Boolean(),
})

export const LaterFarcasterScore = closed({ fid: Type.Integer(), ...LaterScore.properties })

export const LaterProfile = describedObject('A person; `id` is the passport id', {
  id: Type.Integer({ minimum: 0 }),
  ...texts('name', 'display_name', 'bio', 'location', 'image_url', 'main_wallet', 'main_wallet_address'),
  ...{ tags: Type.Array(Type.String()), verified_wallets: Type.Array(Type.String()) },
  human_checkmark: Type.Boolean(),
  ...{ builder_score: LaterScore, scores: Type.Array(LaterScore) },
})

export const LaterCredential = describedObject('A scored item of a person; `uom` is always empty', {
  ...texts('slug', 'name', 'category', 'readable_value', 'uom', 'data_issuer_name', 'description'),
  ...texts('last_calculated_at'),
  points: score('The score of the credential'),
  max_score: score('The maximum score'),
})

export const LaterSocial = describedObject('A linked social profile', {
  ...texts('source', 'social_slug', 'handle', 'name', 'bio', 'location', 'image_url', 'profile_url'),
  ...{ followers_count: nullableCount(), follower_count: nullableCount(), following_count: nullableCount() },
})

export const LaterAccount = describedObject(
  'A wallet or a linked account; only the latter has a `username`',
  { ...texts('source', 'identifier'), username: orNull(Type.String()) },
)

export const LaterDataPoint = describedObject('A value that the score depends on', {
  ...texts('slug', 'credential_slug', 'name', 'account', 'readable_value', 'uom', 'data_issuer_name'),
  value: Type.Number({ description: 'A number, 1 or 0, or milliseconds since 1970' }),
})

const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const optional = <Properties extends TProperties>(properties: Properties) => Type.Optional(closed(properties))
const limit = Type.Optional(Type.Number())
const order = Type.Optional(Type.Enum(['asc', 'desc']))
const scorer = optionalText('`builder_score`')

export const LaterSearch = closed({
  query: optional({
    identity: optionalText('A name, a handle, a wallet or a passport id'),
    identity_type: optionalText('The source of the handle, such as `github`'),
    exactMatch: Type.Optional(Type.Boolean()),
    walletAddresses: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    score: optional({ min: limit, max: limit, scorer }),
  }),
  sort: optional({ score: optional({ order, scorer }), id: optional({ order }) }),
  page: Type.Optional(Type.Integer({ minimum: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, description: '25 by default; at most 250' })),
  view: optionalText('Ignored'),
})
