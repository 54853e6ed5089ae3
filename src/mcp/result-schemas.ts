import Type, { type Static, type TSchema } from 'typebox'
import { Credential, Passport } from '../domain/v1/schemas.ts'

/** Longer lists are cut: an agent has to read all of it. */
export const LONGEST_LIST = 100

const shape = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const Links = shape({
  api: Type.String({ description: 'The passport in the V1 API' }),
  page: Type.Optional(Type.String({ description: 'The passport for people' })),
})

const { passport_profile, passport_socials: _, ...PASSPORT } = Passport.properties
const { bio, location, tags } = passport_profile.properties
const { passport_id, score, calculating_score, last_calculated_at, human_checkmark, main_wallet } = PASSPORT
const { id: __, ...CREDENTIAL } = Credential.properties

const SUMMARY = {
  passport_id,
  name: Type.String({ description: 'Written by its owner; may be empty' }),
  score,
  calculating_score,
  last_calculated_at,
  links: Links,
}

export const PassportSummary = shape(SUMMARY)

export const SearchResult = shape({
  total: Type.Integer({ description: 'How many passports match' }),
  page: Type.Integer(),
  pages: Type.Integer(),
  passports: Type.Array(shape({ ...SUMMARY, human_checkmark, main_wallet })),
})

export const PassportResult = shape({
  ...PASSPORT,
  ...SUMMARY,
  bio,
  location,
  tags,
  socials: Type.Array(
    shape({ source: Type.String(), name: Type.String(), url: Type.String(), follower_count: Type.String() }),
  ),
})

export const CredentialsResult = shape({
  ...SUMMARY,
  total: Type.Integer({ description: `How many credentials there are; at most ${LONGEST_LIST} are listed` }),
  credentials: Type.Array(shape({ ...CREDENTIAL, earned_at: Type.Optional(Type.String()) })),
})

export const ExplanationResult = shape({
  ...SUMMARY,
  rules: Type.String({ description: 'The version of the rule set' }),
  explained_score: Type.Number({ description: 'What the rules give now; `score` is what is served' }),
  caps: Type.Record(Type.String(), Type.Number(), { description: 'The most that a category counts' }),
  total: Type.Integer({ description: `How many lines there are; at most ${LONGEST_LIST} are listed` }),
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

export type PassportSummary = Static<typeof PassportSummary>
export type SearchResult = Static<typeof SearchResult>
export type PassportResult = Static<typeof PassportResult>
export type CredentialsResult = Static<typeof CredentialsResult>
export type ExplanationResult = Static<typeof ExplanationResult>
