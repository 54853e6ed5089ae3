import { readAll } from '../../core/api/read-passports.ts'
import { attempt, invalidParameter, notFound } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import type { Context } from '../../core/http/route.ts'
import { isStorable, type PassportKey, parsePassportKey, parseWallet } from '../../core/passport/passport.ts'
import { findRules } from '../../core/scoring/stamped-rule-set.ts'
import { SEARCH } from '../../core/store/sql/search.ts'
import type { Person } from './present.ts'

/** How a request names a person. `source` is such as `github`, or empty. */
export type Named = { name: string; source: string }

/** Parameters that name one person. */
export function parseNamed(query: URLSearchParams): Named {
  const get = (name: string) => (query.get(name) ?? '').trim()
  if (get('wallet') !== '') return { name: get('wallet'), source: 'wallet' }
  const named = { name: get('id'), source: (get('account_source') || get('source')).toLowerCase() }
  if (named.name !== '') return named
  throw invalidParameter('id', 'id must be a wallet, a passport id or a handle, or wallet must be given.')
}

const toKey = (id: number) => ({ id })

/** The keys that a name can mean, in turn: without a source, a wallet, then an id, then a handle of any source. */
async function* keysOf({ store }: Context, { name, source }: Named): AsyncGenerator<PassportKey[]> {
  const wallet = isStorable(name) ? parseWallet(name) : undefined
  if (wallet === undefined) return
  if (source === '' || source === 'wallet') yield [{ wallet }]
  if (source === 'wallet') return
  const key = parsePassportKey(source === '' ? name : `${source}:${name}`)
  if (key && ('id' in key || 'handle' in key)) yield [key]
  if (source !== '') return
  const owners = await store.data(SEARCH).listOwners([name.replace(/^@/, '').toLowerCase()])
  yield owners.map(({ id }) => toKey(id))
}

/** The people with the first keys that anybody has. A handle can be that of several people. */
export async function findPeople(context: Context, named: Named): Promise<PassportV3[]> {
  for await (const keys of keysOf(context, named)) {
    const found = await readPeople(context, keys)
    if (found.length > 0) return found
  }
  return []
}

type Read = (context: Context, keys: readonly PassportKey[]) => Promise<PassportV3[]>

/** The passports with these keys, each once. A merged passport leads to its survivor. */
export const readPeople: Read = async (context, keys) => {
  const people = new Map<number, PassportV3>()
  const find = (some: readonly PassportKey[]) =>
    context.store.passports.findByKeys(some, { credentials: true })
  for await (const found of readAll(keys, find, () => context.budget.take(context))) {
    const candidates = found && 'candidates' in found ? found.candidates.map(toKey) : []
    for (const each of await readPeople(context, candidates)) people.set(each.id, each)
    if (found && 'passport' in found) people.set(found.passport.id, found.passport)
  }
  return [...people.values()]
}

/** Throws `not_found`, or `invalid_request` for a name of several people: none may be taken for another one. */
export async function findOne(context: Context, named: Named): Promise<PassportV3> {
  const [found, ...others] = await findPeople(context, named)
  if (!found) throw notFound()
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id).join(', ')
  throw invalidParameter('id', `${quote(named.name)} is a handle of the passports ${ids}: use an id.`)
}

/** The people as responses show them. Their ranks are those among all people, not only among those of a list. */
export async function toPeople(context: Context, passports: readonly PassportV3[]): Promise<Person[]> {
  const { index, store, request, onError } = context
  const scores = passports.map((each) => each.scores)
  const standings = await attempt(() => index.call('standings', scores, request.signal), onError)
  const shared = { cards: context.cardsOf(request), rules: await findRules(store), lines: [] }
  return passports.map((passport, at) => ({
    ...shared,
    passport,
    rank: standings?.[at]?.total.rank ?? null,
  }))
}
