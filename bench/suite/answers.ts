import { median } from '../measure.ts'
import { KEY_HEADERS } from './ours.ts'
import type { Read } from './reads.ts'

/** An answer whole, for others to send in its place. */
export type Answered = { status: number; headers: Record<string, string>; body: Uint8Array }

/** By the reads that they answer. */
export type Answers = Record<'by-id' | 'not-modified' | 'credentials' | 'first-page', Answered>

/** The answer that is about the size of a read's own. How much a keyword finds differs. */
const LIKE: Partial<Record<Read, keyof Answers>> = {
  'by-id': 'by-id',
  'by-wallet': 'by-id',
  'not-modified': 'not-modified',
  credentials: 'credentials',
  'first-page': 'first-page',
  'middle-page': 'first-page',
  'last-page': 'first-page',
  'any-page': 'first-page',
}

export const answerLike = (read: Read) => LIKE[read]

const SAMPLES = 101

/** One answer of each kind, of the size that is in the middle. */
export async function sampleAnswers(url: string, passports: number): Promise<Answers> {
  const get = (path: string, headers = {}) => answerOf(url + path, { ...KEY_HEADERS, ...headers })
  const ids = Array.from({ length: SAMPLES }, (_, at) => 1 + Math.floor((at / SAMPLES) * passports))
  const typical = async (path: string) => {
    const all = await Promise.all(ids.map((id) => get(path + id)))
    const size = median(all.map(({ body }) => body.length))
    return all.find(({ body }) => body.length === size) as Answered
  }
  const byId = await typical('/api/v1/passports/')
  const known = await get('/api/v1/passports/1')
  return {
    'by-id': byId,
    'not-modified': await get('/api/v1/passports/1', { 'If-None-Match': known.headers.etag }),
    credentials: await typical('/api/v1/passport_credentials?passport_id='),
    'first-page': await get('/api/v1/passports?page=1'),
  }
}

/** What the HTTP layer adds by itself. */
const OWN_HEADERS = new Set(['content-length', 'connection', 'date', 'transfer-encoding'])

async function answerOf(url: string, headers: Record<string, string>): Promise<Answered> {
  const answer = await fetch(url, { headers })
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !OWN_HEADERS.has(name))),
    body: await answer.bytes(),
  }
}
