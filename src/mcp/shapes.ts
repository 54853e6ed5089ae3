import Type, { type Static, type TSchema } from 'typebox'

/** No more of a list than this is told: an agent has to read all of it. */
export const LONGEST_LIST = 100

const shape = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const Links = shape({
  api: Type.String({ description: 'The passport in the V1 API' }),
  page: Type.Optional(Type.String({ description: 'The passport for people' })),
})

const HEAD = {
  passport_id: Type.Integer(),
  name: Type.String({ description: 'Written by its owner; may be empty' }),
  score: Type.Number(),
  calculating_score: Type.Boolean({ description: 'A new score is being calculated; this is the old one' }),
  last_calculated_at: Type.String({ description: 'How old the score is' }),
  links: Links,
}

export const Head = shape(HEAD)

export const SearchAnswer = shape({
  total: Type.Integer({ description: 'How many passports match' }),
  page: Type.Integer(),
  pages: Type.Integer(),
  passports: Type.Array(shape({ ...HEAD, human_checkmark: Type.Boolean(), main_wallet: Type.String() })),
})

export const PassportAnswer = shape({
  ...HEAD,
  activity_score: Type.Number(),
  identity_score: Type.Number(),
  skills_score: Type.Number(),
  human_checkmark: Type.Boolean(),
  connections_count: Type.Integer(),
  merged: Type.Boolean({ description: 'Another passport was merged into this one' }),
  bio: Type.String(),
  location: Type.String(),
  tags: Type.Array(Type.String()),
  main_wallet: Type.String(),
  verified_wallets: Type.Array(Type.String()),
  socials: Type.Array(
    shape({ source: Type.String(), name: Type.String(), url: Type.String(), follower_count: Type.String() }),
  ),
})

export const CredentialsAnswer = shape({
  ...HEAD,
  total: Type.Integer({ description: `How many credentials there are; at most ${LONGEST_LIST} are told` }),
  credentials: Type.Array(
    shape({
      name: Type.String(),
      type: Type.String(),
      category: Type.String(),
      score: Type.Number(),
      max_score: Type.Number(),
      value: Type.String(),
      earned_at: Type.Optional(Type.String()),
      last_calculated_at: Type.String(),
    }),
  ),
})

export const ExplanationAnswer = shape({
  ...HEAD,
  rules: Type.String({ description: 'The version of the rule set' }),
  explained_score: Type.Number({ description: 'What the rules give now; `score` is what is served' }),
  caps: Type.Record(Type.String(), Type.Number(), { description: 'The most that a category counts' }),
  total: Type.Integer({ description: `How many lines there are; at most ${LONGEST_LIST} are told` }),
  lines: Type.Array(
    shape({
      name: Type.String(),
      category: Type.String({ description: 'Empty where it is not scored' }),
      score: Type.Number(),
      max_score: Type.Number(),
      formula: Type.String(),
    }),
  ),
  notes: Type.Array(Type.String(), { description: 'Why other answers may show something else' }),
})

export type Head = Static<typeof Head>
export type SearchAnswer = Static<typeof SearchAnswer>
export type PassportAnswer = Static<typeof PassportAnswer>
export type CredentialsAnswer = Static<typeof CredentialsAnswer>
export type ExplanationAnswer = Static<typeof ExplanationAnswer>
