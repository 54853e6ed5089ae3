import { readAll } from '../../core/api/read-passports.ts'
import { attempt, invalidParameter, notFound } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import type { Context } from '../../core/http/route.ts'
import { isStorable, type PassportKey, parsePassportKey, parseWallet } from '../../core/passport/passport.ts'
import { type KeyResult, MOST_CANDIDATES } from '../../core/store/rows/passport.ts'
import { SEARCH } from '../../core/store/sql/search.ts'
import { hasImage, presentScore } from './present.ts'

/** Throws `not_found`, or `invalid_request` for a name of several people: none may be taken for another one. */
export async function findOne(context: Context, query: URLSearchParams): Promise<PassportV3> {
  const get = (parameter: string) => (query.get(parameter) ?? '').trim()
  const wallet = get('wallet')
  const name = wallet || get('id')
  if (name === '')
    throw invalidParameter('id', 'id must be a wallet, a passport id or a handle, or wallet must be given.')
  const source = wallet ? 'wallet' : get('account_source') || get('source')
  const [person, ...others] = await findPeople(context, name, source)
  if (!person) throw notFound()
  if (others.length === 0) return person
  const ids = [person, ...others].map(({ id }) => id).join(', ')
  throw invalidParameter('id', `${quote(name)} is a handle of the passports ${ids}: use an id.`)
}

/**
 * The people with a name; several if they share a handle. A name without a source is looked up as a wallet, then as an
 * id, then as a handle of any source.
 */
export async function findPeople(context: Context, name: string, source: string): Promise<PassportV3[]> {
  const wallet = parseWallet(name)
  if (wallet === undefined || !isStorable(name)) return []
  const isWallet = source.toLowerCase() === 'wallet'
  const key = isWallet ? undefined : parsePassportKey(source === '' ? name : `${source}:${name}`)
  const keys = [source === '' || isWallet ? { wallet } : undefined, key].filter(
    (candidate) => candidate !== undefined,
  )
  for (const candidate of keys) {
    const [result] = await readKeys(context, [candidate], { isFull: true })
    if (result) return 'passport' in result ? [result.passport] : readIds(context, result.candidates)
  }
  if (source !== '') return []
  const owners = await context.store.data(SEARCH).listOwners([name.replace(/^@/, '').toLowerCase()])
  return readIds(context, [...new Set(owners.map(({ id }) => id))])
}

async function readIds(context: Context, ids: readonly number[]) {
  const keys = ids.slice(0, MOST_CANDIDATES).map((id) => ({ id }))
  return peopleOf(await readKeys(context, keys, { isFull: true }))
}

/**
 * The passports with these keys. Without `isFull`, they are without credentials and with one social: many take little
 * memory.
 */
export const readKeys = (
  context: Context,
  keys: readonly PassportKey[],
  { isFull = false } = {},
): Promise<KeyResult[]> =>
  Array.fromAsync(
    readAll(
      keys,
      (some) => context.store.passports.findByKeys(some, { credentials: isFull }),
      () => takeTurn(context),
    ),
    (result) => (result && 'passport' in result && !isFull ? { passport: toBrief(result.passport) } : result),
  )

function toBrief(passport: PassportV3): PassportV3 {
  const social = passport.socials.find(hasImage)
  return { ...passport, socials: social ? [social] : [] }
}

/** Each person once: the keys of merged passports lead to their survivors. */
export function peopleOf(results: readonly KeyResult[]): PassportV3[] {
  const passports = results.flatMap((result) => (result && 'passport' in result ? [result.passport] : []))
  return [...new Map(passports.map((passport) => [passport.id, passport])).values()]
}

/** Scores with the ranks among all people, not only among those of a list; without ranks while the index is built. */
export async function findScores(people: readonly PassportV3[], { index, request, onError }: Context) {
  const scores = people.map((passport) => passport.scores)
  const standings = await attempt(() => index.call('standings', scores, request.signal), onError)
  return people.map((passport, at) => presentScore(passport, standings?.[at]?.total.rank ?? null))
}
