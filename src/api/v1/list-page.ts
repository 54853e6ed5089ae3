import { lastPage, type Page, type PageRequest } from '../../domain/page.ts'
import type { Passport } from '../../domain/passport.ts'
import type { PassportDocument } from '../../store/store.ts'
import type { Steps } from '../../store/turns.ts'
import { LARGE_BODY as LARGE } from '../wire/reply.ts'
import { presentListedPassport } from './present.ts'
import { findListed } from './press.ts'

/** Room for the documents of a page, unless they are large. */
const ROOM = Buffer.allocUnsafe(256 * 1024)

/** A page that is large is made in steps, of so many bytes each. */
const STEP = 512 * 1024

/** A passport's part of a page: bytes of what they are in, which need no buffer of their own. */
type Part = { id: number; score: number; bytes: Buffer; from: number; to: number }

/**
 * The body of a page, put together from parts of documents, in a place to take. Nothing where one of these is damaged. A large
 * one pauses before it takes any room, and then again and again.
 */
export function* printPage(
  { items, total }: Page<Passport | PassportDocument>,
  { page, size }: PageRequest,
  take: (length: number) => Buffer = Buffer.allocUnsafe,
): Steps<Buffer | undefined> {
  const needed = items.reduce((sum, item) => sum + ('document' in item ? item.document.length : 0), 0)
  const parts = yield* readParts(items, needed)
  if (!parts) return undefined
  parts.sort((one, other) => other.score - one.score || one.id - other.id)
  const pagination = { current_page: page, last_page: lastPage(total, size), total }
  const end = `],"pagination":${JSON.stringify(pagination)}}`
  const length = parts.reduce((sum, { from, to }) => sum + to - from + 1, BEGIN.length - 1)
  // What others are made beside needs a place of its own.
  const place = Math.max(needed, length) > LARGE ? Buffer.allocUnsafe : take
  const body = place(Math.max(length, BEGIN.length) + end.length)
  let at = body.write(BEGIN, 'latin1')
  let pause = LARGE
  for (const { bytes, from, to } of parts) {
    if (at > BEGIN.length) body[at++] = COMMA
    at += bytes.copy(body, at, from, to)
    if (at < pause) continue
    pause = at + STEP
    yield
  }
  body.write(end, at, 'latin1')
  return body
}

const BEGIN = '{"passports":['
const COMMA = 44

function* readParts(
  items: readonly (Passport | PassportDocument)[],
  needed: number,
): Steps<Part[] | undefined> {
  if (needed > LARGE) yield
  // Only documents tell beforehand how large they are.
  const isShared = needed <= ROOM.length && items.every((item) => 'document' in item)
  const room = isShared ? ROOM : Buffer.allocUnsafe(needed)
  let at = 0
  let pause = LARGE
  // In a row: with other work in between, each would take longer.
  for (const item of items) {
    if (!('document' in item)) continue
    if (!item.document.read(room, at)) return undefined
    at += item.document.length
    if (at < pause) continue
    pause = at + STEP
    yield
  }
  at = 0
  pause = LARGE
  const parts: Part[] = []
  for (const item of items) {
    const part = 'document' in item ? findPart(item, room, at) : makePart(item)
    if ('document' in item) at += item.document.length
    parts.push(part)
    pause -= part.to - part.from
    if (pause > 0) continue
    pause = STEP
    yield
  }
  return parts
}

function findPart({ id }: PassportDocument, room: Buffer, at: number): Part {
  const { score, from, to } = findListed(room, at)
  return { id, score, bytes: room, from, to }
}

function makePart(passport: Passport): Part {
  const bytes = Buffer.from(JSON.stringify(presentListedPassport(passport)))
  return { id: passport.id, score: passport.scores.total, bytes, from: 0, to: bytes.length }
}
