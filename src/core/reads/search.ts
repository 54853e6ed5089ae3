import { foldName } from '../basics/text/fold-name.ts'
import type { IndexClient } from '../index/calls.ts'
import type { SearchRequest } from '../index/search.ts'
import { phrasesOf } from '../lists/read-text.ts'
import { foldWallet, isStorable, type Passport, parsePassportRef } from '../passport/passport.ts'
import type { RuleSetShape } from '../passport/rules/rule-set.ts'
import { SEARCH } from '../store/sql/search.ts'
import type { Store } from '../store/store.ts'

/** What pages and APIs read from. */
export type Reads = { store: Store; index: IndexClient }

type Request = Pick<SearchRequest, 'text' | 'filter' | 'sort' | 'offset' | 'limit' | 'groups'>

/** `points` are those for each of the types. `reason`: the passport was found by its id, a wallet or a handle. */
export type FoundPerson = { passport: Passport; rank: number; points: number[]; reason?: Reason }

export type FoundPeople = Awaited<ReturnType<typeof searchPeople>>

/**
 * Reads a search text and finds its people, with one call of the index. The first page begins with the passports
 * whose id, wallet or handle is the text or whose handle is the only word that is no filter, and ends with those
 * whose wallet or handle begins with it.
 */
export async function searchPeople(
  { store, index }: Reads,
  rules: RuleSetShape,
  request: Request,
  signal: AbortSignal,
) {
  const { offset = 0 } = request
  const { matches, isMore } = await findMatches(store, request.text.replace(/^"(.*)"$/s, '$1'))
  const ids = matches.map(({ passport }) => passport.id)
  const asked = { ...request, known: request.text === '' ? undefined : phrasesOf(rules), ids, ranks: ids }
  const { page, matching, ...found } = await index.call('search', asked, signal)
  const words = foldName(found.reading.name).split(' ')
  const isNamed = ({ passport: { profile } }: Match) =>
    words.every((word) => foldName(profile.displayName).includes(word))
  // Only the index knows which word is the name.
  const isFound = ({ isWord, reason: { text, start } }: Match) =>
    !isWord || text.slice(start) === foldHandle(found.reading.name)
  // A passport that also matches by name is listed anyway. A complete id, wallet or handle moves it to the top.
  const first = matches
    .map((match, at) => ({ ...match, rank: page.ranking?.ofIds[at] ?? 0, points: [] }))
    .filter((match) => isFound(match) && matching.includes(match.passport.id))
    .filter((match) => !isNamed(match) || isComplete(match))
  const extra = first.filter((match) => !isNamed(match)).length
  const shown = offset === 0 ? first : []
  const isOther = (id: number) => first.every(({ passport }) => passport.id !== id)
  const named = await store.passports.listByIds(page.ids.filter(isOther))
  const listed = named.map((passport): FoundPerson => {
    const at = page.ids.indexOf(passport.id)
    const points = Object.values(found.points).map((ofPage) => ofPage[at] ?? 0)
    return { passport, points, rank: page.ranking?.ofPage[at] ?? offset + at + 1 }
  })
  return {
    ...found,
    people: [...shown.filter(isComplete), ...listed, ...shown.filter((match) => !isComplete(match))],
    /** The number of people by name, and of all with those by id, wallet or handle. `isMore`: there are even more. */
    named: page.total,
    total: page.total + extra,
    isMore,
    /** The number of people among which the listed ones are ranked. */
    among: page.ranking?.among ?? page.total,
    groups: page.groups ?? [],
    types: Object.keys(found.points),
  }
}

/** In a longer text, words are not looked up as handles. */
const MOST_OWNERS = 6

const MOST_ALIKE = 3

/** `above`: how many passports of the ranking precede this one. `alike`: people with its first tag and the nearest scores. */
export async function findNeighbours({ index, store }: Reads, passport: Passport, signal: AbortSignal) {
  const { id, scores, profile } = passport
  const tag = foldName(profile.tags[0] ?? '')
  const asked = { position: { value: scores.total, id }, tag, most: MOST_ALIKE }
  const { above, ids } = await index.call('neighbours', asked, signal)
  // The index may have an earlier score of the passport itself.
  const people = await store.passports.listByIds(ids.filter((other) => other !== id))
  const distanceOf = (other: Passport) => Math.abs(other.scores.total - scores.total)
  const nearest = people.sort((one, other) => distanceOf(one) - distanceOf(other)).slice(0, MOST_ALIKE)
  return { above, alike: nearest.sort((one, other) => other.scores.total - one.scores.total) }
}

/** `text` is the id, wallet or handle. The search text matches it from `start` to `end`. */
export type Reason = {
  kind: 'id' | 'wallet' | 'handle'
  text: string
  start: number
  end: number
}

const MOST_MATCHES = 20

/** Reads more passports than are shown, because several matches may lead to the same survivor. */
const MOST_READ = 2 * MOST_MATCHES

/** Shorter texts would match too many handles or wallets. The minimum for a wallet is "0x" and four digits. */
const SHORTEST_HANDLE = 2
const SHORTEST_WALLET = 6

/** A passport that may be found by its id, a wallet or a handle. `isWord`: the handle is one of several words. */
type Candidate = { id: number; reason: Reason; isWord?: boolean }
type Found = Omit<Candidate, 'id'>
type Match = Found & { passport: Passport }

/**
 * Finds passports by id, wallet and handle. Complete matches come first, then ids before wallets before handles, then
 * shorter texts, then higher scores. A merged passport leads to its survivor. `isMore`: there are more matches.
 */
async function findMatches(store: Store, typed: string): Promise<{ matches: Match[]; isMore: boolean }> {
  if (typed === '' || !isStorable(typed)) return { matches: [], isMore: false }
  const found = [findWallets(store, typed), findHandles(store, typed), findOwners(store, typed)]
  const sorted = [...findId(typed), ...(await Promise.all(found)).flat()].sort(compare)
  const ids = [...new Set(sorted.map(({ id }) => id))].slice(0, MOST_READ)
  const listed = new Map((await store.passports.listByIds(ids)).map((passport) => [passport.id, passport]))
  const matches = new Map<number, Match>()
  for (const { id, ...match } of sorted) {
    if (matches.size > MOST_MATCHES) break
    const passport = listed.get(id) ?? (await store.passports.find({ id }))
    if (passport && !matches.has(passport.id)) matches.set(passport.id, { ...match, passport })
  }
  const shown = [...matches.values()].slice(0, MOST_MATCHES)
  const byScore = (one: Match, other: Match) => other.passport.scores.total - one.passport.scores.total
  return {
    matches: shown.sort((one, other) => compare(one, other) || byScore(one, other)),
    isMore: [...matches.values()].slice(MOST_MATCHES).some(({ isWord }) => !isWord),
  }
}

/** The handle is behind its source, and matches up to `length`. */
function toCandidate({ id, text }: { id: number; text: string }, length = text.length): Candidate {
  const start = text.indexOf(':') + 1
  return { id, reason: { kind: 'handle', text, start, end: Math.min(start + length, text.length) } }
}

/** "@Zoe" is the handle "zoe". */
const foldHandle = (name: string): string => name.trim().replace(/^@/, '').toLowerCase()

const KINDS: readonly Reason['kind'][] = ['id', 'wallet', 'handle']

const isComplete = ({ reason: { text, end } }: Found): boolean => end === text.length

/** Complete matches come first, then the kind decides, then the length. */
const weigh = ({ reason }: Found) =>
  (isComplete({ reason }) ? 0 : 1000) + 300 * KINDS.indexOf(reason.kind) + reason.text.length

const compare = (one: Found, other: Found) => weigh(one) - weigh(other)

/** Accepts "12", "#12" and "Passport 12". Pages show the latter for a passport without a name. */
function findId(typed: string): Candidate[] {
  const digits = /^(?:passport\s*|#)?(\d+)$/i.exec(typed)?.[1] ?? ''
  const ref = parsePassportRef(digits)
  if (!ref || !('id' in ref)) return []
  const text = `Passport ${ref.id}`
  return [{ id: ref.id, reason: { kind: 'id', text, start: 0, end: text.length } }]
}

/** Also accepts shortened addresses such as "0xde30ab…12cd". */
async function findWallets(store: Store, typed: string): Promise<Candidate[]> {
  const [head = '', tail = ''] = /\s/.test(typed) ? [] : typed.split(/…|\.{3}/)
  const found = foldWallet(head)
  if (found.length < SHORTEST_WALLET) return []
  const suffix = foldWallet(head + tail).slice(head.length)
  const rows = await store.data(SEARCH).listWallets(found, MOST_MATCHES + 1, suffix)
  return rows.map(({ id, text }) => ({ id, reason: { kind: 'wallet', text, start: 0, end: found.length } }))
}

/** Finds the passports that have one of several words as a handle, such as "zoe" with or without "@". */
async function findOwners(store: Store, typed: string): Promise<Candidate[]> {
  const words = typed.split(/\s+/)
  if (words.length === 1 || words.length > MOST_OWNERS) return []
  const rows = await store.data(SEARCH).listOwners(words.map(foldHandle))
  return rows.map((row) => ({ ...toCandidate(row), isWord: true }))
}

/** Finds handles with a source ("github:zoe") or without ("zoe", "@zoe"), or at the end of a profile URL. */
async function findHandles(store: Store, typed: string): Promise<Candidate[]> {
  const handle = typed.replace(/^(?:https?:\/\/[^\s/]+|[\w-]+\.[\w.-]+)\/(?:\S*\/)?(?=\S)/i, '')
  const colon = handle.indexOf(':')
  const [source, name] = [handle.slice(0, Math.max(0, colon)).trim().toLowerCase(), handle.slice(colon + 1)]
  const found = foldHandle(name)
  if (found.length < SHORTEST_HANDLE) return []
  const rows = await (source === ''
    ? store.data(SEARCH).listNames(found, MOST_MATCHES + 1)
    : store.data(SEARCH).listHandles(`${source}:${found}`, MOST_MATCHES + 1))
  return rows.map((row) => toCandidate(row, found.length))
}
