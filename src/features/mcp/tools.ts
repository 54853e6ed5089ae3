import Type, { type Static } from 'typebox'
import { DEFAULT_FIELDS, noPassport, onlyOne, parseKey, parsePast } from '../../core/api/parameters.ts'
import { presentExplanation, presentPassport } from '../../core/api/present.ts'
import { findAt, readAll, unitsOfPassports } from '../../core/api/read-passports.ts'
import { RecordsResult } from '../../core/api/write-schemas.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { closed } from '../../core/basics/schema-helpers.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { EventLog } from '../../core/history/event.ts'
import { parseEventCursor } from '../../core/history/event-cursor.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { presentEvent, presentTime } from '../../core/history/present-event.ts'
import { parseFilter } from '../../core/lists/filter.ts'
import { lastPage, parseKeyword, parseSort } from '../../core/lists/list-request.ts'
import { type PassportKey, parsePassportKey } from '../../core/passport/passport.ts'
import { createExplainer } from '../../core/scoring/explain-score.ts'
import type { FindOptions } from '../../core/store/store.ts'
import { findDiff, parseTimes } from '../events/diff.ts'
import { LIST_PARAMETERS, SORT, unitsOfList } from '../passports/list.ts'
import { toLines } from '../records/routes.ts'
import { RECORD_WRITES } from '../records/statements.ts'
import { defineTool, type ToolContext } from './define-tool.ts'
import * as results from './result-schemas.ts'
import { MAX_LIST } from './sanitize.ts'

const passport = Type.String({
  description: 'A passport id, such as 42, a wallet address, or a handle such as github:zoe',
})
const time = (description: string) =>
  Type.String({
    description: `${description}: a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z`,
  })

/** A parameter of the list of v3. */
const listParameter = ({ schema, description }: { schema: object; description: string }) =>
  Type.Optional(Type.String({ ...schema, description }))

const limit = (noun: string, fallback: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback, description: `${noun} per page` }))

const RECORD =
  'A data point such as {"passport":"github:zoe","type":"github","value":30}, with "withdrawn":true to withdraw it, or a passport: the lines of docs/records.md'

const OnePassport = closed({ passport })

export const TOOLS: Readonly<Record<string, ReturnType<typeof defineTool>>> = {
  search_passports: defineTool({
    description:
      'Finds passports by part of their name and by a filter, highest score first or in another order.',
    inputSchema: closed({
      keyword: Type.Optional(
        Type.String({ description: 'Part of the name, at most 200 characters; default: all passports' }),
      ),
      filter: listParameter(LIST_PARAMETERS.filter),
      sort: listParameter(SORT),
      limit: limit('Passports', 10, 25),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
    }),
    outputSchema: results.SearchResult,
    units: ({ keyword, filter, sort, limit = 10 }) =>
      unitsOfList({ keyword, limit }, DEFAULT_FIELDS, filter !== undefined || sort !== undefined),
    async call({ keyword, filter, sort, limit = 10, page = 1 }, context) {
      const request = {
        keyword: parseKeyword(keyword),
        filter: filter === undefined ? [] : parseFilter(filter),
        sort: parseSort(sort),
        limit,
        offset: (page - 1) * limit,
      }
      const { ids, total } = await context.index.call('list', { request })
      const keys = ids.map((id) => ({ id }))
      const found = await findAll(context, keys)
      // Leaves out passports that were merged meanwhile: their ids find the survivor.
      const passports = found.flatMap((each, at) =>
        each && 'passport' in each && each.passport.id === ids[at] ? summarize(each.passport, context) : [],
      )
      return { total, page, pages: lastPage(total, limit), passports }
    },
  }),
  get_passport: defineTool({
    description: 'Returns one passport: scores, profile, wallets, socials.',
    inputSchema: OnePassport,
    outputSchema: results.PassportResult,
    async call({ passport: key }, context) {
      const passport = await findNamed(key, context, { credentials: false })
      const shown = presentPassport(passport, {})
      const { passport_profile, passport_socials: socials, verified_wallets, merged_from } = shown
      const { display_name: _, ...profile } = passport_profile
      return { ...summarize(passport, context), ...profile, verified_wallets, merged_from, socials }
    },
  }),
  get_credentials: defineTool({
    description: 'Lists the scored credentials of one passport, highest score first.',
    inputSchema: OnePassport,
    outputSchema: results.CredentialsResult,
    call: async ({ passport }, context) =>
      presentCredentials(await findNamed(passport, context, { credentials: true }), context),
  }),
  explain_score: defineTool({
    description: 'Explains the score of one passport, credential by credential.',
    inputSchema: OnePassport,
    outputSchema: results.ExplanationResult,
    async call({ passport: key }, context) {
      const passport = await findNamed(key, context, { credentials: false })
      const explained = (await createExplainer(context.store)([passport])).get(passport.id)
      if (!explained) throw noPassport(String(passport.id))
      const { lines, ...explanation } = presentExplanation(explained, passport.scores.total)
      return {
        ...summarize(passport, context),
        total: lines.length,
        explanation: { ...explanation, lines: lines.map(({ accounts, more_accounts, ...line }) => line) },
      }
    },
  }),
  lookup_passports: defineTool({
    description: `Returns the scores of up to ${MAX_LIST} passports by id, wallet or handle, in order.`,
    inputSchema: closed({
      keys: Type.Array(passport, {
        minItems: 1,
        maxItems: MAX_LIST,
        description: 'Passports, in any mix of keys',
      }),
    }),
    units: ({ keys }) => unitsOfPassports(keys.length, DEFAULT_FIELDS),
    outputSchema: results.LookupResult,
    async call({ keys }, context) {
      const parsed = keys.map(parsePassportKey)
      const known = parsed.filter((key) => key !== undefined)
      const found = await findAll(context, known)
      const items = keys.map((key, at): Static<typeof results.LookupResult>['items'][number] => {
        if (!parsed[at]) return { key, error: 'malformed' }
        const result = found.shift()
        if (!result) return { key, error: 'not_found' }
        if ('candidates' in result) return { key, error: 'ambiguous', candidates: result.candidates }
        return { key, passport: summarize(result.passport, context) }
      })
      return { found: items.filter(({ passport }) => passport).length, items }
    },
  }),
  score_at: defineTool({
    description: 'Returns the score and the credentials of one passport as of a time in the past.',
    inputSchema: closed({ passport, as_of: time('A time in the past') }),
    outputSchema: results.ScoreAtResult,
    async call({ passport: key, as_of }, context) {
      const instant = parsePast('as_of', as_of, context.now())
      const passport = await findNamed(key, context, { credentials: true }, instant)
      return { ...presentCredentials(passport, context), as_of: new Date(instant).toISOString() }
    },
  }),
  what_changed: defineTool({
    description: 'Explains why the score of one passport changed between two times.',
    inputSchema: closed({
      passport,
      from: time('Begin'),
      to: Type.Optional(time('End; default: now')),
    }),
    units: () => 2,
    outputSchema: results.WhatChangedResult,
    async call({ passport, ...times }, context) {
      const diff = await findDiff(context, passport, parseTimes(times, context.now()))
      return { ...diff, links: linksTo(diff.passport_id, context), total: diff.causes.length }
    },
  }),
  history: defineTool({
    description:
      'Lists the changes of one passport, newest first. An id may be that of a merged or removed passport.',
    inputSchema: closed({
      passport,
      limit: limit('Events', 10, 50),
      cursor: Type.Optional(Type.String({ description: '`next` of the previous page' })),
    }),
    outputSchema: results.HistoryResult,
    async call({ passport, limit = 10, cursor }, context) {
      const { events, passports } = context.store
      const key = parseKey(passport.trim())
      // An id is not looked up: merged and removed passports have events too.
      const passportId =
        'id' in key ? key.id : (await findNamed(passport, context, { credentials: false })).id
      const log = await events.log()
      const before = cursor === undefined ? undefined : parseHistoryCursor(cursor, log)
      const found = await events.listAfterTime([passportId], 0, before)
      if (found.events.length === 0 && !(await passports.findByKeys([key], { credentials: false }))[0])
        throw noPassport(passport)
      const page = found.events.slice(0, limit)
      const isLast = found.before === undefined && page.length === found.events.length
      const shown = page.map((event) => {
        const { id, type, time, data } = presentEvent(event, { log: log.name, source: '' })
        return { id, type, time, data }
      })
      return {
        passport_id: passportId,
        links: linksTo(passportId, context),
        known_since: presentTime(found.knownSince),
        events: shown,
        next: isLast ? null : (shown.at(-1)?.id ?? null),
      }
    },
  }),
  write_records: defineTool({
    description: `Writes up to ${MAX_LIST} records in one transaction: all of them, or none. Writing them again changes nothing.`,
    inputSchema: closed({
      records: Type.Array(Type.Object({}, { description: RECORD }), { minItems: 1, maxItems: MAX_LIST }),
      dry_run: Type.Optional(Type.Boolean({ description: 'Checks the records, and stores nothing' })),
    }),
    outputSchema: RecordsResult,
    writes: true,
    units: ({ records }) => 1 + records.length,
    async call({ records, dry_run: dryRun = false }, { store, principal, now }) {
      const actor = principal.id === '' ? 'cli' : (`key:${principal.id}` as const)
      const by = { actor, now: now(), writer: principal } as const
      return store.data(RECORD_WRITES).save({ ...by, lines: toLines({ records }), isList: true, dryRun })
    },
  }),
}

/** Returns the number of the last event on the previous page. */
function parseHistoryCursor(text: string, { name, first, last }: EventLog): number {
  const { log, sequence } = parseEventCursor(text) ?? { log: '', sequence: 0 }
  if (log === name && sequence >= first && sequence <= last) return sequence
  const accepted = '"next" of a page whose events are still in the log'
  throw invalidParameter('cursor', `cursor must be ${accepted}, got ${quote(text)}.`)
}

/** Finds the passport that a key names, now or at a past time. Throws if there is none or more than one. */
async function findNamed(text: string, context: ToolContext, options: FindOptions, time?: number) {
  const [found] = await findAt(context, [parseKey(text.trim())], options, time)
  return onlyOne(text, found, time).passport
}

function findAll({ store }: ToolContext, keys: readonly PassportKey[]) {
  const find = (some: readonly PassportKey[]) => store.passports.findByKeys(some, { credentials: false })
  return Array.fromAsync(readAll(keys, find, () => undefined))
}

function summarize(passport: PassportV3, context: ToolContext) {
  const { passport_profile, passport_socials, verified_wallets, merged_from, ...more } = presentPassport(
    passport,
    {},
  )
  const { credentials, rules_digest, ...scores } = more
  return { ...scores, name: passport_profile.display_name, links: linksTo(passport.id, context) }
}

const linksTo = (id: number, { config: { publicUrl, explorer } }: ToolContext) => ({
  api: `${publicUrl ?? ''}/api/v3/passports/${id}`,
  ...(publicUrl !== undefined && explorer && { page: `${publicUrl}/passports/${id}` }),
})

function presentCredentials(passport: PassportV3, context: ToolContext) {
  const { credentials = [] } = presentPassport(passport, {})
  return { ...summarize(passport, context), total: credentials.length, credentials }
}
