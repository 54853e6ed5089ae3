import { lastPage, type Page, type PageRequest } from '../../domain/page.ts'
import type { Passport } from '../../domain/passport.ts'
import type { PassportDocument } from '../../store/store.ts'
import { presentListedPassport } from './present.ts'
import { findListed } from './press.ts'

/** Room for the documents of a page, unless they are large. */
const ROOM = Buffer.allocUnsafe(256 * 1024)

/** A passport's part of a page: bytes of what they are in, which need no buffer of their own. */
type Part = { id: number; score: number; bytes: Buffer; from: number; to: number }

/** The body of a page, put together from parts of documents, in a place to take. Nothing where one of these is damaged. */
export function printPage(
  { items, total }: Page<Passport | PassportDocument>,
  { page, size }: PageRequest,
  take: (length: number) => Buffer = Buffer.allocUnsafe,
): Buffer | undefined {
  const parts = readParts(items)
  if (!parts) return undefined
  parts.sort((one, other) => other.score - one.score || one.id - other.id)
  const pagination = { current_page: page, last_page: lastPage(total, size), total }
  const end = `],"pagination":${JSON.stringify(pagination)}}`
  const length = parts.reduce((sum, { from, to }) => sum + to - from + 1, BEGIN.length - 1)
  const body = take(Math.max(length, BEGIN.length) + end.length)
  let at = body.write(BEGIN, 'latin1')
  for (const { bytes, from, to } of parts) {
    if (at > BEGIN.length) body[at++] = COMMA
    at += bytes.copy(body, at, from, to)
  }
  body.write(end, at, 'latin1')
  return body
}

const BEGIN = '{"passports":['
const COMMA = 44

function readParts(items: readonly (Passport | PassportDocument)[]): Part[] | undefined {
  const needed = items.reduce((sum, item) => sum + ('document' in item ? item.document.length : 0), 0)
  const room = needed > ROOM.length ? Buffer.allocUnsafe(needed) : ROOM
  let at = 0
  // In a row: with other work in between, each would take longer.
  for (const item of items) {
    if (!('document' in item)) continue
    if (!item.document.read(room, at)) return undefined
    at += item.document.length
  }
  at = 0
  return items.map((item) => {
    if ('document' in item) {
      const { score, from, to } = findListed(room, at)
      at += item.document.length
      return { id: item.id, score, bytes: room, from, to }
    }
    const bytes = Buffer.from(JSON.stringify(presentListedPassport(item)))
    return { id: item.id, score: item.scores.total, bytes, from: 0, to: bytes.length }
  })
}
