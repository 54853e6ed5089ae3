import Type, { type Static, type TSchema } from 'typebox'
import { Credential, Passport, PassportSocial } from '../domain/record/schemas.ts'
import { Pagination } from '../domain/v1/schemas.ts'
import { Diff } from '../domain/v3/event-schema.ts'
import { Credential as CredentialV3, Passport as PassportV3 } from '../domain/v3/schemas.ts'

/** Longer lists are truncated to save the agent's context. */
export const MAX_LIST = 100

const closedObject = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const Links = closedObject({
  api: Type.String({ description: 'URL in the V1 API' }),
  page: Type.Optional(Type.String({ description: 'URL of the HTML page' })),
})

const { passport_profile, passport_socials: _, ...PASSPORT } = Passport.properties
const { bio, location, tags } = passport_profile.properties
const { passport_id, score, calculating_score, last_calculated_at, human_checkmark, main_wallet } = PASSPORT
const { id: __, ...CREDENTIAL } = Credential.properties
const { current_page, last_page, total } = Pagination.properties
const { source, profile_name, profile_url, follower_count } = PassportSocial.properties

const SUMMARY = {
  passport_id,
  name: Type.String({ description: 'Untrusted input; may be empty' }),
  score,
  calculating_score,
  last_calculated_at,
  links: Links,
}

export const PassportSummary = closedObject(SUMMARY)

export const SearchResult = closedObject({
  total,
  page: current_page,
  pages: last_page,
  passports: Type.Array(closedObject({ ...SUMMARY, human_checkmark, main_wallet })),
})

export const PassportResult = closedObject({
  ...PASSPORT,
  ...SUMMARY,
  bio,
  location,
  tags,
  socials: Type.Array(closedObject({ source, name: profile_name, url: profile_url, follower_count })),
})

export const CredentialsResult = closedObject({
  ...SUMMARY,
  total: Type.Integer({ description: `Number of credentials; at most ${MAX_LIST} are listed` }),
  credentials: Type.Array(closedObject({ ...CREDENTIAL, earned_at: Type.Optional(Type.String()) })),
})

export const ExplanationResult = closedObject({
  ...SUMMARY,
  rules: Type.String({ description: 'Version of the rule set' }),
  explained_score: Type.Number({ description: 'The score by the current rules; `score` is the stored one' }),
  caps: Type.Record(Type.String(), Type.Number(), { description: 'The maximum score per category' }),
  total: Type.Integer({ description: `Number of lines; at most ${MAX_LIST} are listed` }),
  lines: Type.Array(
    closedObject({
      name: CREDENTIAL.name,
      category: Type.String({ description: 'Empty if the credential is not scored' }),
      score: CREDENTIAL.score,
      max_score: CREDENTIAL.max_score,
      formula: Type.String(),
    }),
  ),
  notes: Type.Array(Type.String(), { description: 'Reasons why other results may differ' }),
})

const { activity_score, identity_score, skills_score, rules } = PassportV3.properties

const SCORES = { ...SUMMARY, activity_score, identity_score, skills_score, human_checkmark, rules }

export const LookupResult = closedObject({
  found: Type.Integer({ description: 'Number of items with a passport' }),
  items: Type.Array(
    closedObject({
      key: Type.String(),
      passport: Type.Optional(closedObject(SCORES)),
      error: Type.Optional(Type.Enum(['not_found', 'malformed', 'ambiguous'])),
      candidates: Type.Optional(
        Type.Array(Type.Integer(), { description: 'Ids of passports that have the handle' }),
      ),
    }),
    { description: 'One for each key, in the order of the keys' },
  ),
})

const { type, name, category, score: points, max_score, value } = CredentialV3.properties

export const ScoreAtResult = closedObject({
  ...SCORES,
  as_of: Type.String({ format: 'date-time' }),
  total: Type.Integer({ description: `Number of credentials; at most ${MAX_LIST} are listed` }),
  credentials: Type.Array(closedObject({ type, name, category, score: points, max_score, value })),
})

export const WhatChangedResult = closedObject({
  ...Diff.properties,
  total: Type.Integer({ description: `Number of causes; at most ${MAX_LIST} are listed` }),
})

export type PassportSummary = Static<typeof PassportSummary>
export type SearchResult = Static<typeof SearchResult>
export type PassportResult = Static<typeof PassportResult>
export type CredentialsResult = Static<typeof CredentialsResult>
export type ExplanationResult = Static<typeof ExplanationResult>
export type LookupResult = Static<typeof LookupResult>
export type ScoreAtResult = Static<typeof ScoreAtResult>
export type WhatChangedResult = Static<typeof WhatChangedResult>
