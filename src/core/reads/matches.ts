import { foldWallet, isStorable, type Passport, parsePassportRef } from '../passport/passport.ts'
import { SEARCH } from '../store/sql/search.ts'
import type { Store } from '../store/store.ts'

/** A passport that was found by its id, a wallet or a handle. */
export type Match = { passport: Passport; reason: Reason }

type Matches = { matches: Match[]; isMore: boolean }

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

/**
 * Finds passports by id, wallet and handle. Complete matches come first, then ids before wallets before handles, then
 * shorter texts, then higher scores. A merged passport leads to its survivor. `isMore`: there are more matches.
 */
export async function findMatches(store: Store, typed: string): Promise<Matches> {
  if (!isStorable(typed)) return { matches: [], isMore: false }
  const candidates = [findId(typed), await findWallets(store, typed), await findHandles(store, typed)]
  return readMatches(store, candidates.flat())
}

/** Finds the passports that have one of these words as a handle, such as "zoe" with or without "@". */
export async function findOwners(store: Store, words: readonly string[]): Promise<Match[]> {
  const rows = await store.data(SEARCH).listOwners(words.filter(isStorable).map(foldHandle))
  const reasonOf = (text: string) => ({ text, start: text.indexOf(':') + 1, end: text.length })
  const candidates = rows.map(({ id, text }) => ({
    id,
    reason: { kind: 'handle' as const, ...reasonOf(text) },
  }))
  return (await readMatches(store, candidates)).matches
}

/** "@Zoe" is the handle "zoe". */
export const foldHandle = (name: string): string => name.trim().replace(/^@/, '').toLowerCase()

async function readMatches(store: Store, candidates: readonly Candidate[]): Promise<Matches> {
  const sorted = candidates.toSorted((one, other) => weigh(one.reason) - weigh(other.reason))
  const ids = [...new Set(sorted.map(({ id }) => id))].slice(0, MOST_READ)
  const listed = new Map((await store.passports.listByIds(ids)).map((passport) => [passport.id, passport]))
  const matches = new Map<number, Match>()
  for (const { id, reason } of sorted) {
    if (matches.size > MOST_MATCHES) break
    const passport = listed.get(id) ?? (await store.passports.find({ id }))
    if (passport && !matches.has(passport.id)) matches.set(passport.id, { passport, reason })
  }
  const found = [...matches.values()]
  return { matches: found.slice(0, MOST_MATCHES).sort(compareMatches), isMore: found.length > MOST_MATCHES }
}

const compareMatches = (one: Match, other: Match) =>
  weigh(one.reason) - weigh(other.reason) || other.passport.scores.total - one.passport.scores.total

type Candidate = { id: number; reason: Reason }

const KINDS: readonly Reason['kind'][] = ['id', 'wallet', 'handle']

export const isComplete = ({ text, end }: Reason): boolean => end === text.length

/** The sort key of a match: complete matches come first, then the kind decides, then the length. */
const weigh = (reason: Reason) =>
  (isComplete(reason) ? 0 : 1000) + 300 * KINDS.indexOf(reason.kind) + reason.text.length

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
  return rows.map(({ id, text }) => {
    const start = text.indexOf(':') + 1
    return { id, reason: { kind: 'handle', text, start, end: start + found.length } }
  })
}
