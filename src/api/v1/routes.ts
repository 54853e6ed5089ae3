import type { DeprecatedVersion, Route } from '../request.ts'
import { listCredentials } from './credentials.ts'
import { getPassport, listPassports } from './passports.ts'

export const V1_ROUTES = createRoutes('v1', '')

/** The same endpoints with the fields that later clients read. */
export const V2_ROUTES = createRoutes('v2', 'v2_')

function createRoutes(kind: DeprecatedVersion, prefix: '' | 'v2_'): readonly Route[] {
  const base = `/api/${kind}`
  return [
    {
      path: `${base}/passports`,
      kind,
      name: `${prefix}list`,
      handle: (...args) => listPassports(kind, ...args),
    },
    {
      path: `${base}/passports/:id`,
      kind,
      name: `${prefix}passport`,
      isImmediate: true,
      isCheap: () => true,
      handle: (...args) => getPassport(kind, ...args),
    },
    {
      path: `${base}/passport_credentials`,
      kind,
      name: `${prefix}credentials`,
      isImmediate: true,
      isCheap: () => true,
      handle: listCredentials,
    },
    { path: base, kind, name: `${prefix}other` },
    { path: `${base}/*`, kind, name: `${prefix}other` },
  ]
}
