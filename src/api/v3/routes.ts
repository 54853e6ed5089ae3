import type { Route } from '../request.ts'
import { getDiff } from './diff.ts'
import { listEvents } from './events.ts'
import { listPassports } from './list.ts'
import { lookUp } from './lookup.ts'
import { getPassport } from './passports.ts'
import { getRules } from './rules.ts'

const NO_PATH = 'There is no such path in v3: /openapi.json and /reference/v3 list the paths.'

export const V3_ROUTES: readonly Route[] = [
  { path: '/api/v3/passports', kind: 'v3', name: 'v3_list', handle: listPassports },
  {
    path: '/api/v3/passports/:key',
    kind: 'v3',
    name: 'v3_passport',
    isCheap: ({ url }) => !url.includes('?'),
    handle: getPassport,
  },
  { path: '/api/v3/passports/:key/diff', kind: 'v3', name: 'v3_diff', handle: getDiff },
  { path: '/api/v3/events', kind: 'v3', name: 'v3_events', needsKey: true, handle: listEvents },
  {
    path: '/api/v3/lookup',
    kind: 'v3',
    name: 'v3_lookup',
    methods: ['POST', 'QUERY'],
    needsKey: true,
    handle: lookUp,
  },
  { path: '/api/v3/rules/:stamp', kind: 'v3', name: 'v3_rules', isCheap: () => true, handle: getRules },
  { path: '/api/v3', kind: 'v3', name: 'v3_other', missing: NO_PATH },
  { path: '/api/v3/*', kind: 'v3', name: 'v3_other', missing: NO_PATH },
]
