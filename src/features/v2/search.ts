import { readAll } from '../../core/api/read-passports.ts'
import { findUnknown, invalidParameter, invalidValues } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { queryOf } from '../../core/http/parse-request.ts'
import type { Context } from '../../core/http/route.ts'
import { CHUNK, parseKeyword, RANKING } from '../../core/lists/list-request.ts'
import { isStorable, type PassportKey, parsePassportKey } from '../../core/passport/passport.ts'
import { SEARCH } from '../../core/store/sql/search.ts'

const EXAMPLE = '{"identity":"github:zoe","exactMatch":true}'

const MEMBERS = ['identity', 'exactMatch']

/** Reads `query`, which is JSON, and parameters such as `query[identity]`. Throws `invalid_request`. */
function parseSearch(query: URLSearchParams) {
  const members = [...query.keys()].flatMap((name) => {
    const [, member] = /^query\[(.*)\]$/.exec(name) ?? []
    return member === undefined ? [] : [[member, query.get(name)]]
  })
  const search = { ...parseObject(query.get('query') ?? '{}'), ...Object.fromEntries(members) }
  // Ignoring an unknown member would find other people.
  const unknown = findUnknown('member of query', Object.keys(search), MEMBERS, () => '?query')
  if (unknown.length > 0) throw invalidValues(unknown)
  const { identity, exactMatch } = search
  if (typeof identity !== 'string')
    throw invalidParameter('query', `query must have an identity, as in ${EXAMPLE}, got ${quote(search)}.`)
  const isExact = [true, 'true'].includes(exactMatch)
  if (isExact || [undefined, null, false, 'false'].includes(exactMatch))
    return { text: identity.trim(), isExact }
  throw invalidParameter('query', `exactMatch must be true or false, got ${quote(exactMatch)}.`)
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The error below says what is accepted.
  }
  throw invalidParameter('query', `query must be a JSON object such as ${EXAMPLE}, got ${quote(text)}.`)
}

/** A search that is not exact reads about 100 passports and searches all names. */
const UNITS = 5

/**
 * Returns ids: first of the passport with the id, wallet or handle, then of those with that name at any source, then of
 * similar ones.
 */
export async function findPeople(request: Request, context: Context): Promise<Set<number>[]> {
  const { index, store } = context
  const { text, isExact } = parseSearch(queryOf(request))
  const name = text.replace(/^@/, '').toLowerCase()
  if (!isExact) context.charge(UNITS)
  if (name === '' || !isStorable(text)) return []
  const key = parsePassportKey(text)
  const hasSource = text.includes(':')
  const handles = hasSource
    ? await store.data(SEARCH).listHandles(key && 'handle' in key ? key.handle : name, CHUNK)
    : await store.data(SEARCH).listNames(name, CHUNK)
  // Without a source, the name may be a handle of several sources.
  const whole = handles.filter(({ text }) => text.slice(text.indexOf(':') + 1) === name)
  const keyed = await findIds(context, key ? [key] : [])
  const exact = keyed.union(await findIds(context, whole.slice(0, CHUNK)))
  if (isExact) return [keyed, exact.difference(keyed)]
  const similar = await findIds(context, handles.slice(0, CHUNK))
  const keyword = hasSource && handles.length > 0 ? undefined : parseKeyword(text, 'identity')
  const list = { ...RANKING, keyword, limit: CHUNK }
  const namesakes = keyword ? (await index.call('list', { request: list }, request.signal)).ids : []
  const others = similar.union(new Set(namesakes)).difference(exact)
  return [keyed, exact.difference(keyed), new Set([...others].slice(0, Math.max(0, CHUNK - exact.size)))]
}

/** Returns the ids of the passports with these keys. A merged passport leads to its survivor. */
export async function findIds(context: Context, keys: readonly PassportKey[]): Promise<Set<number>> {
  const find = (some: readonly PassportKey[]) =>
    context.store.passports.findByKeys(some, { credentials: false })
  const ids = new Set<number>()
  for await (const result of readAll(keys, find, () => takeTurn(context)))
    if (result && 'passport' in result) ids.add(result.passport.id)
    else for (const id of result?.candidates ?? []) ids.add(id)
  return ids
}
