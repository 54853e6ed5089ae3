import { isDeepStrictEqual } from 'node:util'
import { KEY_HEADERS } from './ours.ts'

const PATHS = [
  '/api/v1/passports/7',
  '/api/v1/passports/0xde30000000000000000000000000000000000900',
  '/api/v1/passport_credentials?passport_id=11',
  '/api/v1/passports?page=3',
  '/api/v1/passports?keyword=light',
  '/api/v1/passports?keyword=qu',
  '/api/v1/passports?keyword=no%20such%20name',
]

/** Throws where two servers do not say the same: what is measured side by side must do the same work. */
export async function checkAgreement(one: string, other: string): Promise<void> {
  for (const path of PATHS) {
    const [ours, theirs] = await Promise.all([one, other].map((url) => bodyOf(url + path)))
    if (!isDeepStrictEqual(ours, theirs))
      throw new Error(`${path} is answered in two ways:\n${JSON.stringify(ours)}\n${JSON.stringify(theirs)}`)
  }
}

async function bodyOf(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: KEY_HEADERS })
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
