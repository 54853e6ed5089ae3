import type { Static } from 'typebox'
import { Check, Convert, Errors } from 'typebox/value'
import { invalidParameter } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import type { Context } from '../../core/http/route.ts'
import { parseFilter } from '../../core/lists/filter.ts'
import { parseWallet } from '../../core/passport/passport.ts'
import { describeProblems } from '../../core/passport/validation-problem.ts'
import { searchPeople } from '../../core/reads/search.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import { findPeople, readPeople } from './find.ts'
import { SLUG } from './present.ts'
import { LaterSearch } from './schemas.ts'

export type Search = Static<typeof LaterSearch>
type Given = Record<string, unknown>

/** Reads parameters such as `query`, which is JSON, and `query[identity]`. Others are ignored, as by V1. */
export function readParameters(parameters: URLSearchParams): Given {
  // Without a prototype, names such as `constructor` are names only.
  const nested: Given = Object.create(null)
  for (const [name, value] of parameters) {
    const path = name.split(/[[\]]+/).filter(Boolean)
    const last = path.pop() ?? ''
    const at = path.reduce((to, member) => {
      if (!isObject(to[member])) to[member] = Object.create(null)
      return to[member] as Given
    }, nested)
    if (last in at) at[last] = [at[last], value].flat()
    else at[last] = value
  }
  const read = (name: string) => {
    const text = parameters.get(name)
    const value = nested[name]
    return { ...(text && parseJson(name, text)), ...(isObject(value) && value) }
  }
  const { page, per_page, customQuery } = nested
  return {
    query: { ...read('query'), ...(customQuery !== undefined && { customQuery }) },
    sort: read('sort'),
    page,
    per_page,
  }
}

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseJson(name: string, text: string): Given {
  try {
    const value = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The error below says what is accepted.
  }
  throw invalidParameter(name, `${name} must be a JSON object, got ${quote(text)}.`)
}

/** Throws `invalid_request` for a search that is not served: without a part of it, other people would be found. */
export function parseSearch(given: unknown): Search {
  const search = Convert(LaterSearch, given)
  if (!Check(LaterSearch, search)) {
    const [problem] = describeProblems(search, Errors(LaterSearch, search))
    throw invalidParameter(problem?.field ?? 'query', `${problem?.field} ${problem?.reason}.`)
  }
  checkScorer(search.query?.score?.scorer)
  checkScorer(search.sort?.score?.scorer)
  return search
}

/** Accepts the slug of the only scorer, and its name. */
export function checkScorer(scorer = ''): void {
  if (['', SLUG].includes(scorer.toLowerCase().replaceAll(' ', '_'))) return
  throw invalidParameter('scorer', `The only score of this service is ${SLUG}, got ${quote(scorer)}.`)
}

/** The people of a page, and how many there are on all pages. */
export async function findPage(
  context: Context,
  { query = {}, sort }: Search,
  offset: number,
  limit: number,
) {
  const { identity = '', identity_type: source = '', exactMatch, walletAddresses, score = {} } = query
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = score
  const descending = sort?.score?.order !== 'asc'
  const name = identity.trim()
  if (walletAddresses || exactMatch || source !== '') {
    const wallets = walletAddresses?.flatMap((text) => parseWallet(text) ?? [])
    const byWallet =
      wallets &&
      (await readPeople(
        context,
        wallets.map((wallet) => ({ wallet })),
      ))
    const byName = name === '' ? undefined : await findPeople(context, { name, source: source.toLowerCase() })
    const isNamed = ({ id }: PassportV3) => byName?.some((each) => each.id === id) ?? true
    const people = (byWallet ?? byName ?? [])
      .filter(isNamed)
      .filter(({ scores }) => min <= scores.total && scores.total <= max)
      .sort((one, other) => other.scores.total - one.scores.total || one.id - other.id)
    if (!descending) people.reverse()
    return { people: people.slice(offset, offset + limit), total: people.length }
  }
  const limits = [
    ...(Number.isFinite(min) ? [`score:>=${min}`] : []),
    ...(Number.isFinite(max) ? [`score:<=${max}`] : []),
  ]
  const request = {
    // Quoted words are a name only.
    text: name === '' ? '' : `"${name.replaceAll('"', ' ')}"`,
    filter: limits.flatMap(parseFilter),
    sort: { field: 'score', descending } as const,
    ...{ offset, limit },
  }
  const rules = await findRules(context.store)
  const found = await searchPeople(context, rules, request, context.request.signal)
  const keys = found.people.map(({ passport }) => ({ id: passport.id }))
  return { people: await readPeople(context, keys), total: found.total }
}
