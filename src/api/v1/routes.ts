import type { Route } from '../request.ts'
import { listCredentials } from './credentials.ts'
import { getPassport, listPassports } from './passports.ts'

export const V1_ROUTES: readonly Route[] = [
  { path: '/api/v1/passports', kind: 'v1', name: 'list', handle: listPassports },
  { path: '/api/v1/passports/:id', kind: 'v1', name: 'passport', isCheap: () => true, handle: getPassport },
  {
    path: '/api/v1/passport_credentials',
    kind: 'v1',
    name: 'credentials',
    isCheap: () => true,
    handle: listCredentials,
  },
  { path: '/api/v1', kind: 'v1', name: 'other' },
  { path: '/api/v1/*', kind: 'v1', name: 'other' },
]
