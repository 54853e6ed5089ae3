import type { Route } from '../request.ts'

export const V3_ROUTES: readonly Route[] = [
  { path: '/api/v3', kind: 'v3', name: 'v3_other' },
  { path: '/api/v3/*', kind: 'v3', name: 'v3_other' },
]
