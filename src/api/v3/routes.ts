import { type Route, unknownPaths } from '../route.ts'
import { diff } from './diff.ts'
import { events } from './events.ts'
import { listOfPassports } from './list.ts'
import { lookup } from './lookup.ts'
import { passport } from './passports.ts'
import { V3 } from './route-defaults.ts'
import { rules } from './rules.ts'

const NO_PATH = 'There is no such path in v3: /openapi.json and /reference/v3 list the paths.'

export const V3_ROUTES: readonly Route[] = [
  listOfPassports,
  passport,
  lookup,
  rules,
  diff,
  events,
  ...unknownPaths(V3, '/api/v3', 'v3_other', NO_PATH),
]
