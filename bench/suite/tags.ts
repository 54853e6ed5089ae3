import type { Request } from '../load.ts'
import { KEY_HEADERS } from './ours.ts'

const TAGGED = 5000
const AT_ONCE = 50

/** Asks a server for the tags of passports spread over all; each becomes a request that is answered 304. */
export async function tagsOf(url: string, passports: number): Promise<Request[]> {
  const count = Math.min(TAGGED, passports)
  const requests: Request[] = []
  while (requests.length < count) {
    const paths = Array.from({ length: AT_ONCE }, (_, at) => {
      const id = 1 + Math.floor(((requests.length + at) / count) * passports)
      return `/api/v1/passports/${Math.min(id, passports)}`
    })
    requests.push(...(await Promise.all(paths.map((path) => tagOf(url, path)))))
  }
  return requests
}

async function tagOf(url: string, path: string): Promise<Request> {
  const answer = await fetch(url + path, { headers: KEY_HEADERS })
  const tag = answer.headers.get('ETag')
  if (answer.status !== 200 || !tag) throw new Error(`${url}${path} answered ${answer.status}, tag ${tag}`)
  await answer.bytes()
  return { path, headers: { 'If-None-Match': tag } }
}
