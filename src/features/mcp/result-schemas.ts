import Type from 'typebox'
import { Credential, Explanation, ExplanationLine, Passport } from '../../core/api/schemas.ts'
import { closed, orNull } from '../../core/basics/schema-helpers.ts'
import { Diff, Event } from '../../core/history/event-schema.ts'
import { MAX_LIST } from './sanitize.ts'

/** Tools return parts of v3 passports, each with links and the name of the person. */
const { passport_profile, passport_socials, verified_wallets, merged_from, ...parts } = Passport.properties
const { credentials: _, standing, explanation, rules_digest, ...scores } = parts
const { display_name, bio, location, tags } = passport_profile.properties
const Line = Type.Omit(ExplanationLine, ['accounts', 'more_accounts'])

const links = closed({
  api: Type.String({ description: 'URL in the v3 API' }),
  page: Type.Optional(Type.String({ description: 'URL of the HTML page' })),
})

const SUMMARY = { ...scores, name: display_name, links }

const totalOf = (noun: string) =>
  Type.Integer({ description: `Number of ${noun}; at most ${MAX_LIST} are listed` })

const credentials = Type.Array(Credential, { description: 'Highest score first' })

export const SearchResult = closed({
  total: Type.Integer({ description: 'Number of all matching passports' }),
  page: Type.Integer(),
  pages: Type.Integer({ description: 'The last page; 1 for an empty list' }),
  passports: Type.Array(closed(SUMMARY)),
})

export const PassportResult = closed({
  ...SUMMARY,
  bio,
  location,
  tags,
  verified_wallets,
  merged_from,
  socials: passport_socials,
})

export const CredentialsResult = closed({ ...SUMMARY, total: totalOf('credentials'), credentials })

export const ExplanationResult = closed({
  ...SUMMARY,
  total: totalOf('lines'),
  explanation: closed({ ...Explanation.properties, lines: Type.Array(closed(Line.properties)) }),
})

export const LookupResult = closed({
  found: Type.Integer({ description: 'Number of items with a passport' }),
  items: Type.Array(
    closed({
      key: Type.String(),
      passport: Type.Optional(closed(SUMMARY)),
      error: Type.Optional(Type.Enum(['not_found', 'malformed', 'ambiguous'])),
      candidates: Type.Optional(
        Type.Array(Type.Integer(), { description: 'Ids of passports that have the handle' }),
      ),
    }),
    { description: 'One for each key, in the order of the keys' },
  ),
})

export const ScoreAtResult = closed({
  ...CredentialsResult.properties,
  as_of: Type.String({ format: 'date-time' }),
})

export const WhatChangedResult = closed({ ...Diff.properties, links, total: totalOf('causes') })

const { passport_id } = Diff.properties
const { id, type, time, data } = Event.properties

export const HistoryResult = closed({
  passport_id,
  links,
  known_since: Type.String({ format: 'date-time', description: 'Earlier changes are not in the event log' }),
  events: Type.Array(closed({ id, type, time, data }), { description: 'Newest first' }),
  next: orNull(Type.String(), 'The cursor of the next page; null on the last page'),
})
