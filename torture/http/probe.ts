import type { Answer } from './answer.ts'
import type { Subject } from './subject.ts'

/** A request with a right answer, to the byte. */
export type Probe = { target: string; body: Buffer; etag: string }

/** Leaves no connection behind that would be counted. */
const ALONE = { keepalive: false }

const PAGE = '/api/v1/passports?per_page=250&page='

/** Right answers, once no score waits to be worked out: from then on they stay the same. */
export async function learnProbes({ url }: Subject, count = 20): Promise<Probe[]> {
  const ids = (await Promise.all([1, 2, 3, 4].map((page) => idsWhenScored(`${url}${PAGE}${page}`)))).flat()
  const passports = ids
    .slice(0, count)
    .flatMap((id) => [`/api/v1/passports/${id}`, `/api/v1/passport_credentials?passport_id=${id}`])
  const targets = [...passports, '/health', '/api/v1/passports?per_page=3', '/api/v1/passports?keyword=an']
  return Promise.all(targets.map((target) => learn(url, target)))
}

async function idsWhenScored(page: string): Promise<number[]> {
  while (true) {
    const text = await (await fetch(page, ALONE)).text()
    if (!text.includes('"calculating_score":true'))
      return JSON.parse(text).passports.map(({ passport_id }: { passport_id: number }) => passport_id)
    await Bun.sleep(20)
  }
}

async function learn(url: string, target: string): Promise<Probe> {
  const response = await fetch(url + target, ALONE)
  if (response.status !== 200) throw new Error(`${target} is answered ${response.status}`)
  return { target, body: Buffer.from(await response.arrayBuffer()), etag: response.headers.get('ETag') ?? '' }
}

export const request = (target: string, more = '', method = 'GET') =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

export function isRight({ status, body, fields }: Answer, probe: Probe): boolean {
  return status === 200 && body.equals(probe.body) && fields.get('etag') === probe.etag
}
