import { notFound } from '../../domain/errors.ts'
import type { Endpoint } from '../../domain/usage.ts'
import type { IsGone, Store } from '../../store/store.ts'
import type { Answer } from '../answer.ts'
import { listCredentials } from './credentials.ts'
import { getPassport, listPassports } from './passports.ts'

export type Handler = (query: string, isGone?: IsGone) => Answer | Promise<Answer>
export type Route = { endpoint: Endpoint; handle: Handler }

export const isV1Path = (path: string) => path === '/api/v1' || path.startsWith('/api/v1/')

const PASSPORTS = '/api/v1/passports'
const ONE = `${PASSPORTS}/`

/** Finds the handler of a path below `/api/v1/`. A slash at the end makes no difference. */
export function createV1Routes(store: Store) {
  const list: Route = { endpoint: 'list', handle: listPassports(store) }
  const credentials: Route = { endpoint: 'credentials', handle: listCredentials(store) }
  const get = getPassport(store)

  return (path: string): Route | undefined => {
    const plain = path.endsWith('/') ? path.slice(0, -1) : path
    if (plain === PASSPORTS) return list
    if (plain === '/api/v1/passport_credentials') return credentials
    if (!plain.startsWith(ONE)) return undefined
    const segment = plain.slice(ONE.length)
    if (segment === '' || segment.includes('/')) return undefined
    return { endpoint: 'passport', handle: () => get(segment.includes('%') ? decode(segment) : segment) }
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound()
  }
}
