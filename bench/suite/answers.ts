import { median } from '../measure.ts'
import { KEY_HEADERS } from './ours.ts'

/** An answer whole, for others to send in its place. */
export type Answered = { status: number; headers: Record<string, string>; body: Uint8Array }

/** The reads whose answers are sent by constant servers too; the pages of a list are about the same size. */
export const ANSWER_READS = ['by-id', 'not-modified', 'credentials', 'first-page'] as const

export type Answers = Record<(typeof ANSWER_READS)[number], Answered>

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
