import type { Static } from 'typebox'
import { Check, Convert, Errors } from 'typebox/value'
import { invalidParameter } from '../../core/basics/errors.ts'
import { foldName } from '../../core/basics/text/fold-name.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import type { Context } from '../../core/http/route.ts'
import type { Filter } from '../../core/lists/filter.ts'
import { parseWallet } from '../../core/passport/passport.ts'
import { describeProblems } from '../../core/passport/validation-problem.ts'
import { searchPeople } from '../../core/reads/search.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import { findPeople, peopleOf, readKeys } from './find.ts'
import { SLUG } from './present.ts'
import { LaterSearch } from './schemas.ts'

type Search = Static<typeof LaterSearch>
type Given = Record<string, unknown>

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads names such as `query[score][min]`. Those that end with `[]` or with a number are items of a list. */
export function readParameters(parameters: URLSearchParams): Given {
  // Without a prototype, `constructor` and the like are ordinary names.
  const createObject = (): Given => Object.create(null)
  const nested = createObject()
  for (const [name, value] of parameters) {
    const path = name.split(/[[\]]+/).filter((member) => !/^\d*$/.test(member))
    const last = path.pop() ?? name
    let parent = nested
    for (const member of path) {
      const inner = parent[member] ?? createObject()
      if (!isObject(inner))
        throw invalidParameter(name, `${quote(name)} and ${quote(member)} exclude each other.`)
      parent[member] = inner
      parent = inner
    }
    parent[last] = last in parent ? [parent[last], value].flat() : value
  }
  return nested
}

/** Throws `invalid_request` for a search that is not served: without a part of it, other people would be found. */
export function parseLaterSearch(input: unknown): Search {
  const search = Convert(LaterSearch, isObject(input) ? readMembers(input) : input)
  if (!Check(LaterSearch, search)) {
    const [{ field = '', reason = 'is invalid' } = {}] = describeProblems(search, Errors(LaterSearch, search))
    throw invalidParameter(field, `${field || 'The search'} ${reason}.`)
  }
  checkScorer(search.query?.score?.scorer)
  checkScorer(search.sort?.score?.scorer)
  return search
}

/** These members find nobody if they are null or empty. Other such members are left out. */
const WHO = ['identity', 'walletAddresses']

function readMembers(input: Given): Given {
  const members = Object.entries(input).flatMap(([name, value]) => {
    if (WHO.includes(name)) return [[name, value ?? '']]
    if (value === null || value === '') return []
    const isJson = ['query', 'sort'].includes(name) && typeof value === 'string'
    const member = isJson ? parseMembers(name, value) : value
    return [[name, isObject(member) ? readMembers(member) : member]]
  })
  return Object.fromEntries(members)
}

function parseMembers(name: string, text: string): Given {
  try {
    const value = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The error below says what is accepted.
  }
  throw invalidParameter(name, `${name} must be a JSON object, got ${quote(text)}.`)
}

/** Accepts the slug of the only scorer, and its name. */
export function checkScorer(scorer = ''): void {
  if (['', SLUG].includes(scorer.toLowerCase().replaceAll(' ', '_'))) return
  throw invalidParameter('scorer', `The only score of this service is ${SLUG}, got ${quote(scorer)}.`)
}

export async function findProfiles(context: Context, search: Search, offset: number, limit: number) {
  const { query = {}, sort = {} } = search
  const { identity, identity_type, exactMatch, walletAddresses, score: { min, max } = {} } = query
  const field = sort.id && !sort.score ? 'passport_id' : 'score'
  const descending = (sort.score ?? sort.id)?.order !== 'asc'
  if (exactMatch || identity_type || walletAddresses) {
    const people = (await findNamed(context, query))
      .filter(({ scores: { total } }) => total >= (min ?? total) && total <= (max ?? total))
      .sort((a, b) => (field === 'score' && b.scores.total - a.scores.total) || a.id - b.id)
    if (descending !== (field === 'score')) people.reverse()
    return { people: people.slice(offset, offset + limit), total: people.length }
  }
  const name = identity?.replaceAll('"', ' ').trim()
  // A name without letters would be that of everybody.
  if (name !== undefined && foldName(name) === '') return { people: [], total: 0 }
  const request = {
    // In quotation marks, all words are a name.
    text: name === undefined ? '' : `"${name}"`,
    filter: [...limitScore('>=', min), ...limitScore('<=', max)],
    sort: { field, descending } as const,
    offset,
    limit,
  }
  const result = await searchPeople(context, await findRules(context.store), request, context.request.signal)
  const keys = result.people.map(({ passport: { id } }) => ({ id }))
  return { people: peopleOf(await readKeys(context, keys)), total: result.total }
}

const limitScore = (operator: '>=' | '<=', value?: number): Filter =>
  value === undefined ? [] : [{ field: 'score', conditions: [{ not: false, operator, value }] }]

/** The people with any of the wallets, and with the identity, if both are given. */
async function findNamed(context: Context, query: NonNullable<Search['query']>): Promise<PassportV3[]> {
  const { identity, identity_type: source = '', walletAddresses } = query
  const namesakes = identity === undefined ? undefined : await findPeople(context, identity.trim(), source)
  if (!walletAddresses) return namesakes ?? []
  const wallets = walletAddresses.flatMap((address) => parseWallet(address) ?? [])
  const keys = wallets.map((wallet) => ({ wallet }))
  const owners = peopleOf(await readKeys(context, keys))
  return namesakes ? owners.filter((owner) => namesakes.some(({ id }) => id === owner.id)) : owners
}
