import type { Store } from '../../../src/core/store/store.ts'
import { serveTest } from './server.ts'

/** The responses of all three V1 endpoints for all listed passports, by path. */
export async function everyAnswer(store: Store): Promise<Record<string, string>> {
  await using server = serveTest(store)
  const answers: Record<string, string> = {}
  const ask = async (path: string) => {
    const reply = await server.get(path)
    answers[path] = `${reply.status} ${reply.text}`
    return reply.body
  }
  for (let page = 1, last = 1; page <= last; page++) {
    const { passports, pagination } = await ask(`/api/v1/passports?page=${page}&per_page=250`)
    last = pagination.last_page
    for (const { passport_id } of passports) {
      await ask(`/api/v1/passports/${passport_id}`)
      await ask(`/api/v1/passport_credentials?passport_id=${passport_id}`)
    }
  }
  return answers
}
