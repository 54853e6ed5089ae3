import type { Endpoint } from '../../domain/usage.ts'
import type { DeprecatedVersion, Route } from '../request.ts'
import { listCredentials } from './credentials.ts'
import { getPassport, listPassports } from './passports.ts'

export const V1_ROUTES = createRoutes('v1', {
  list: 'list',
  passport: 'passport',
  credentials: 'credentials',
  other: 'other',
})

/** The same endpoints with the fields that later clients read. */
export const V2_ROUTES = createRoutes('v2', {
  list: 'v2_list',
  passport: 'v2_passport',
  credentials: 'v2_credentials',
  other: 'v2_other',
})

type Names = Record<'list' | 'passport' | 'credentials' | 'other', Endpoint>

function createRoutes(kind: DeprecatedVersion, names: Names): readonly Route[] {
  const base = `/api/${kind}`
  return [
    { path: `${base}/passports`, kind, name: names.list, handle: (...args) => listPassports(kind, ...args) },
    {
      path: `${base}/passports/:id`,
      kind,
      name: names.passport,
      isCheap: () => true,
      handle: (...args) => getPassport(kind, ...args),
    },
    {
      path: `${base}/passport_credentials`,
      kind,
      name: names.credentials,
      isCheap: () => true,
      handle: listCredentials,
    },
    { path: base, kind, name: names.other },
    { path: `${base}/*`, kind, name: names.other },
  ]
}
