import type { Store } from '../../../src/core/store/store.ts'
import { pathsOfFrozen } from '../frozen/frozen-versions.ts'
import { serveTest } from '../http/server.ts'

/** The fields of v3 that V1 has, too. */
const SELECT = [
  ...['passport_id', 'score', 'activity_score', 'identity_score', 'skills_score', 'calculating_score'],
  ...['human_checkmark', 'last_calculated_at', 'main_wallet', 'verified_wallets', 'passport_profile'],
  ...['passport_socials', 'merged_from'],
  ...['type', 'name', 'category', 'score', 'max_score', 'value', 'earned_at'].map(
    (name) => `credentials.${name}`,
  ),
]

/** The responses about all listed passports, by path, and all pages of the list. */
export async function everyResponse(store: Store): Promise<Record<string, string>> {
  await using server = serveTest(store)
  const responses: Record<string, string> = {}
  const read = async (path: string) => {
    const { status, text, body } = await server.get(path)
    responses[path] = `${status} ${text}`
    return body
  }
  const ids: number[] = []
  let cursor = ''
  do {
    const { items, next } = await read(`/api/v3/passports?limit=250&select=passport_id,score${cursor}`)
    ids.push(...items.map(({ passport_id }: { passport_id: number }) => passport_id))
    cursor = next === null ? '' : `&cursor=${next}`
  } while (cursor !== '')
  for (const id of ids)
    for (const path of [`/api/v3/passports/${id}?select=${SELECT}`, ...pathsOfFrozen(id)]) await read(path)
  return responses
}
