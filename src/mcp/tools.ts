import Type, { type Static, type TSchema } from 'typebox'
import { Check, Convert, Errors } from 'typebox/value'
import { findDiff, parseTimes } from '../api/v3/diff.ts'
import { noPassport, onlyOne, parseKey, parsePast } from '../api/v3/parameters.ts'
import { findAt, readAll } from '../api/v3/read-passports.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { findPage } from '../catalog/find-list.ts'
import type { Config } from '../config/config.ts'
import { ServiceError } from '../domain/errors.ts'
import { lastPage, parseKeyword } from '../domain/lists/list-request.ts'
import { type PassportKey, parsePassportKey } from '../domain/passport.ts'
import { describeProblems } from '../domain/record/validation-problem.ts'
import { closed } from '../domain/schema-helpers.ts'
import { Diff } from '../domain/v3/event-schema.ts'
import type { PassportV3 } from '../domain/v3/passport.ts'
import { presentExplanation, presentPassport } from '../domain/v3/present.ts'
import { Credential, Explanation, ExplanationLine, Passport, Social } from '../domain/v3/schemas.ts'
import { createExplainer } from '../scoring/explain.ts'
import type { Store } from '../store/store.ts'
import { MAX_LIST } from './sanitize.ts'

export type ToolContext = {
  store: Store
  catalog: Catalog
  config: Pick<Config, 'publicUrl' | 'explorer'>
  now: () => number
}

const passport = Type.String({
  description: 'A passport id, such as 42, a wallet address, or a handle such as github:zoe',
})
const time = (description: string) =>
  Type.String({
    description: `${description}: a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z`,
  })

const OnePassport = Type.Object({ passport })

type Declaration<Input extends TSchema, Output extends TSchema> = {
  title: string
  description: string
  inputSchema: Input
  outputSchema: Output
  /** The server sanitizes and truncates the result. */
  call: (args: Static<Input>, context: ToolContext) => Promise<Static<Output> & object>
}

const define = <Input extends TSchema, Output extends TSchema>(tool: Declaration<Input, Output>) => ({
  ...tool,
  call: (args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<object> =>
    tool.call(parseArguments(tool.inputSchema, args), context),
})

/** Tools return parts of v3 passports, each with links and the name of the person. */
const { passport_profile, verified_wallets, merged_from } = Passport.properties
const { display_name, bio, location, tags } = passport_profile.properties
const SCORES = Type.Omit(Passport, [
  'passport_profile',
  'passport_socials',
  'verified_wallets',
  'merged_from',
  'credentials',
  'standing',
  'explanation',
])
const SocialLink = Type.Pick(Social, ['source', 'profile_name', 'profile_url', 'follower_count'])
const Line = Type.Omit(ExplanationLine, ['accounts'])

const SUMMARY = {
  ...SCORES.properties,
  name: display_name,
  links: closed({
    api: Type.String({ description: 'URL in the v3 API' }),
    page: Type.Optional(Type.String({ description: 'URL of the HTML page' })),
  }),
}

const totalOf = (noun: string) =>
  Type.Integer({ description: `Number of ${noun}; at most ${MAX_LIST} are listed` })

const credentials = Type.Array(Credential, { description: 'Highest score first' })

const SearchResult = closed({
  total: Type.Integer({ description: 'Number of all matching passports' }),
  page: Type.Integer(),
  pages: Type.Integer({ description: 'The last page; 1 for an empty list' }),
  passports: Type.Array(closed(SUMMARY)),
})

const PassportResult = closed({
  ...SUMMARY,
  bio,
  location,
  tags,
  verified_wallets,
  merged_from,
  socials: Type.Array(closed(SocialLink.properties)),
})

const CredentialsResult = closed({ ...SUMMARY, total: totalOf('credentials'), credentials })

const ExplanationResult = closed({
  ...SUMMARY,
  total: totalOf('lines'),
  explanation: closed({ ...Explanation.properties, lines: Type.Array(closed(Line.properties)) }),
})

const LookupResult = closed({
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

const ScoreAtResult = closed({
  ...CredentialsResult.properties,
  as_of: Type.String({ format: 'date-time' }),
})

const WhatChangedResult = closed({ ...Diff.properties, total: totalOf('causes') })

export const TOOLS: Readonly<Record<string, ReturnType<typeof define>>> = {
  search_passports: define({
    title: 'Search passports',
    description: 'Finds passports by part of their name, highest score first.',
    inputSchema: Type.Object({
      keyword: Type.Optional(
        Type.String({ description: 'Part of the name, at most 200 characters; default: all passports' }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 25, default: 10, description: 'Passports per page' }),
      ),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
    }),
    outputSchema: SearchResult,
    async call({ keyword, limit: size = 10, page = 1 }, context) {
      const request = { page, size, keyword: parseKeyword(keyword) }
      const { items, total } = await findPage(context, request, async (ids) => {
        const keys = ids.map((id) => ({ id }))
        const found = await findAll(context, keys)
        // Leaves out passports that were merged meanwhile: their ids find the survivor.
        return found.flatMap((each, at) =>
          each && 'passport' in each && each.passport.id === ids[at] ? each : [],
        )
      })
      const passports = items.map(({ passport }) => summarize(passport, context))
      return { total, page, pages: lastPage(total, size), passports }
    },
  }),
  get_passport: define({
    title: 'Get a passport',
    description: 'Returns one passport: scores, profile, wallets, socials.',
    inputSchema: OnePassport,
    outputSchema: PassportResult,
    async call({ passport: key }, context) {
      const passport = await findNamed(key, context, { credentials: false })
      const shown = presentPassport(passport, {})
      const { passport_profile, passport_socials, verified_wallets, merged_from } = shown
      const { display_name: _, ...profile } = passport_profile
      const socials = passport_socials.map(({ source, profile_name, profile_url, follower_count }) => ({
        ...{ source, profile_name, profile_url, follower_count },
      }))
      return { ...summarize(passport, context), ...profile, verified_wallets, merged_from, socials }
    },
  }),
  get_credentials: define({
    title: 'Get credentials',
    description: 'Lists the scored credentials of one passport, highest score first.',
    inputSchema: OnePassport,
    outputSchema: CredentialsResult,
    call: async ({ passport }, context) =>
      presentCredentials(await findNamed(passport, context, { credentials: true }), context),
  }),
  explain_score: define({
    title: 'Explain a score',
    description: 'Explains the score of one passport, credential by credential.',
    inputSchema: OnePassport,
    outputSchema: ExplanationResult,
    async call({ passport: key }, context) {
      const passport = await findNamed(key, context, { credentials: false })
      const explained = (await createExplainer(context.store)([passport])).get(passport.id)
      if (!explained) throw noPassport(String(passport.id))
      const { lines, ...explanation } = presentExplanation(explained)
      return {
        ...summarize(passport, context),
        total: lines.length,
        explanation: { ...explanation, lines: lines.map(({ accounts, ...line }) => line) },
      }
    },
  }),
  lookup_passports: define({
    title: 'Look up passports',
    description: `Returns the scores of up to ${MAX_LIST} passports by id, wallet or handle, in order.`,
    inputSchema: Type.Object({
      keys: Type.Array(passport, {
        minItems: 1,
        maxItems: MAX_LIST,
        description: 'Passports, in any mix of keys',
      }),
    }),
    outputSchema: LookupResult,
    async call({ keys }, context) {
      const parsed = keys.map(parsePassportKey)
      const known = parsed.filter((key) => key !== undefined)
      const found = await findAll(context, known)
      const items = keys.map((key, at): Static<typeof LookupResult>['items'][number] => {
        if (!parsed[at]) return { key, error: 'malformed' }
        const result = found.shift()
        if (!result) return { key, error: 'not_found' }
        if ('candidates' in result) return { key, error: 'ambiguous', candidates: result.candidates }
        return { key, passport: summarize(result.passport, context) }
      })
      return { found: items.filter(({ passport }) => passport).length, items }
    },
  }),
  score_at: define({
    title: 'Score at a time',
    description: 'Returns the score and the credentials of one passport as of a time in the past.',
    inputSchema: Type.Object({ passport, as_of: time('A time in the past') }),
    outputSchema: ScoreAtResult,
    async call({ passport: key, as_of }, context) {
      const instant = parsePast('as_of', as_of, context.now())
      const passport = await findNamed(key, context, { credentials: true, time: instant })
      return { ...presentCredentials(passport, context), as_of: new Date(instant).toISOString() }
    },
  }),
  what_changed: define({
    title: 'What changed a score',
    description: 'Explains why the score of one passport changed between two times.',
    inputSchema: Type.Object({
      passport,
      from: time('Begin'),
      to: Type.Optional(time('End; default: now')),
    }),
    outputSchema: WhatChangedResult,
    async call({ passport, ...times }, { store, now }) {
      const diff = await findDiff({ store }, passport, parseTimes(times, now()))
      return { ...diff, total: diff.causes.length }
    },
  }),
}

/** Agents send an id as a number and a missing value as null, although the schema says otherwise. */
function parseArguments<T extends TSchema>(schema: T, given: Readonly<Record<string, unknown>>): Static<T> {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  const args = Convert(schema, Object.fromEntries(present))
  if (Check(schema, args)) return args
  const [problem] = describeProblems(args, Errors(schema, args))
  throw new ServiceError('invalid_request', `${problem?.field} ${problem?.reason}.`)
}

type Wanted = { credentials: boolean; time?: number }

/** Finds the passport that a key names, now or at a past time. Throws if there is none or more than one. */
async function findNamed(text: string, { store }: ToolContext, wanted: Wanted): Promise<PassportV3> {
  const { time, ...options } = wanted
  const keys = [parseKey(text.trim())]
  const [found] = await (time === undefined
    ? store.v3.find(keys, options)
    : findAt({ store }, keys, options, time))
  return onlyOne(text, found, time).passport
}

function findAll({ store }: ToolContext, keys: readonly PassportKey[]) {
  const find = (some: readonly PassportKey[]) => store.v3.find(some, { credentials: false })
  return Array.fromAsync(readAll(keys, find, () => undefined))
}

function summarize(passport: PassportV3, { config: { publicUrl, explorer } }: ToolContext) {
  const { passport_profile, passport_socials, verified_wallets, merged_from, credentials, ...scores } =
    presentPassport(passport, {})
  const page = publicUrl !== undefined && explorer ? `${publicUrl}/passports/${passport.id}` : undefined
  return {
    ...scores,
    name: passport_profile.display_name,
    links: { api: `${publicUrl ?? ''}/api/v3/passports/${passport.id}`, ...(page !== undefined && { page }) },
  }
}

function presentCredentials(passport: PassportV3, context: ToolContext) {
  const { credentials = [] } = presentPassport(passport, {})
  return { ...summarize(passport, context), total: credentials.length, credentials }
}
