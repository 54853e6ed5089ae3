import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, parseKeyId } from '../domain/api-key.ts'

/** Clients send these when the variable that should hold their key is unset. */
const NO_KEY = new Set(['', '""', 'undefined', 'null', 'None'])

/** A key as a client sent it; without an id if it is malformed. */
export type GivenKey = { id: string | undefined; hash: Uint8Array }

/** Keys that were read before: clients send the same ones again and again. */
const read = new Map<string, GivenKey | undefined>()
const MOST_READ = 1000

/** The key in the `X-API-KEY` header; `undefined` if there is none in it. */
export function readKey(header: string | null): GivenKey | undefined {
  if (header === null) return undefined
  if (read.has(header)) return read.get(header)
  const text = trimKey(header)
  const key = NO_KEY.has(text)
    ? undefined
    : { id: parseKeyId(text), hash: Bun.SHA256.hash(text) as Uint8Array }
  if (read.size >= MOST_READ) read.clear()
  read.set(header, key)
  return key
}

/** Whether the stored key is the one that was sent. */
export const matchesKey = ({ hash }: GivenKey, key: ApiKey | undefined): key is ApiKey =>
  key !== undefined && timingSafeEqual(hash, key.hash)

const BLANKS = ', \t\xa0'

/** Without blanks and commas at both ends. A regular expression would take quadratic time on many blanks. */
function trimKey(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANKS.includes(text.charAt(start))) start++
  while (start < end && BLANKS.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}
