import { foldName } from '../basics/text/fold-name.ts'
import type { IndexClient } from '../index/calls.ts'
import type { SearchRequest, search } from '../index/search.ts'
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
  const { text, offset = 0 } = request
  const { matches, isMore } = await findKeys(store, text.replace(/^"(.*)"$/s, '$1'))
  const ids = matches.map(({ passport }) => passport.id)
  const known = text === '' ? undefined : phrasesOf(rules)
  const answer = await index.call('search', { ...request, known, ids, ranks: ids }, signal)
  const { page, matching, ...description } = answer
  const byKey = selectMatches(matches, answer)
  const firstPage = offset === 0 ? byKey : []
  const listed = await readMatches(store, answer, offset)
  const isOther = ({ passport }: FoundPerson) => byKey.every((match) => match.passport.id !== passport.id)
  return {
    ...description,
    people: [
      ...firstPage.filter(isComplete),
      ...listed.filter(isOther),
      ...firstPage.filter((match) => !isComplete(match)),
    ],
    /** The number of people by name, and of all with those by id, wallet or handle. `isMore`: there are even more. */
    named: page.total,
    total: page.total + byKey.filter(({ isNamed }) => !isNamed).length,
    isMore,
    /** The number of people among which the listed ones are ranked. */
    among: page.ranking?.among ?? page.total,
    groups: page.groups ?? [],
    types: Object.keys(answer.points),
  }
}

type Answer = ReturnType<typeof search>

/** A passport that also matches by name is listed anyway. A complete id, wallet or handle moves it to the top. */
function selectMatches(matches: readonly Match[], { reading, matching, page }: Answer) {
  const words = foldName(reading.name).split(' ')
  return matches.flatMap(({ passport, reason, isWord }, at) => {
    const name = foldName(passport.profile.displayName)
    const isNamed = words.every((word) => name.includes(word))
    // Only the index knows which word is the name.
    const isOtherWord = isWord && reason.text.slice(reason.start) !== foldHandle(reading.name)
    if (isOtherWord || !matching.includes(passport.id) || (isNamed && !isComplete({ reason }))) return []
    return { passport, reason, isNamed, rank: page.ranking?.ofIds[at] ?? 0, points: [] }
  })
}

async function readMatches(store: Store, { page, points }: Answer, offset: number): Promise<FoundPerson[]> {
  const passports = await store.passports.listByIds(page.ids)
  return passports.map((passport) => {
    const at = page.ids.indexOf(passport.id)
    const ofTypes = Object.values(points).map((ofPage) => ofPage[at] ?? 0)
    return { passport, points: ofTypes, rank: page.ranking?.ofPage[at] ?? offset + at + 1 }
  })
}

const MOST_ALIKE = 3

/** `above`: how many passports precede this one. `alike`: people with its first tag and the nearest scores. */
export async function findNeighbours({ index, store }: Reads, passport: Passport, signal: AbortSignal) {
  const { id, scores, profile } = passport
  const tag = foldName(profile.tags[0] ?? '')
  const place = { position: { value: scores.total, id }, tag, most: MOST_ALIKE }
  const { above, ids } = await index.call('neighbours', place, signal)
  // The index may have an earlier score of the passport itself.
  const people = await store.passports.listByIds(ids.filter((neighbour) => neighbour !== id))
  const distanceOf = (neighbour: Passport) => Math.abs(neighbour.scores.total - scores.total)
  const nearest = people.sort((a, b) => distanceOf(a) - distanceOf(b)).slice(0, MOST_ALIKE)
  return { above, alike: nearest.sort((a, b) => b.scores.total - a.scores.total) }
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
type Match = Omit<Candidate, 'id'> & { passport: Passport }

/**
 * Finds passports by id, wallet and handle. Complete matches come first, then ids before wallets before handles, then
 * shorter texts, then higher scores. A merged passport leads to its survivor. `isMore`: there are more matches.
 */
async function findKeys(store: Store, typed: string): Promise<{ matches: Match[]; isMore: boolean }> {
  if (typed === '' || !isStorable(typed)) return { matches: [], isMore: false }
  const names = await Promise.all([findWallets, findHandles, findOwners].map((find) => find(store, typed)))
  const candidates = [...findId(typed), ...names.flat()].sort(compareKeys)
  const ids = [...new Set(candidates.map(({ id }) => id))].slice(0, MOST_READ)
  const listed = new Map((await store.passports.listByIds(ids)).map((passport) => [passport.id, passport]))
  const matches = new Map<number, Match>()
  for (const { id, ...match } of candidates) {
    if (matches.size > MOST_MATCHES) break
    const passport = listed.get(id) ?? (await store.passports.find({ id }))
    if (passport && !matches.has(passport.id)) matches.set(passport.id, { ...match, passport })
  }
  const all = [...matches.values()]
  const byScore = (a: Match, b: Match) => b.passport.scores.total - a.passport.scores.total
  return {
    matches: all.slice(0, MOST_MATCHES).sort((a, b) => compareKeys(a, b) || byScore(a, b)),
    isMore: all.slice(MOST_MATCHES).some(({ isWord }) => !isWord),
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

type Keyed = Pick<Candidate, 'reason'>

const isComplete = ({ reason: { text, end } }: Keyed): boolean => end === text.length

/** Complete matches come first, then the kind decides, then the length. */
const weigh = ({ reason }: Keyed) =>
  (isComplete({ reason }) ? 0 : 1000) + 300 * KINDS.indexOf(reason.kind) + reason.text.length

const compareKeys = (a: Keyed, b: Keyed) => weigh(a) - weigh(b)

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
  const prefix = foldWallet(head)
  if (prefix.length < SHORTEST_WALLET) return []
  const suffix = foldWallet(head + tail).slice(head.length)
  const rows = await store.data(SEARCH).listWallets(prefix, MOST_MATCHES + 1, suffix)
  return rows.map(({ id, text }) => ({ id, reason: { kind: 'wallet', text, start: 0, end: prefix.length } }))
}

/** In a longer text, words are not looked up as handles. */
const MOST_OWNERS = 6

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
  const prefix = foldHandle(name)
  if (prefix.length < SHORTEST_HANDLE) return []
  const rows = await (source === ''
    ? store.data(SEARCH).listNames(prefix, MOST_MATCHES + 1)
    : store.data(SEARCH).listHandles(`${source}:${prefix}`, MOST_MATCHES + 1))
  return rows.map((row) => toCandidate(row, prefix.length))
}
