import type { Feature } from './feature.ts'
import { backup } from './features/backup/index.ts'
import { compare } from './features/compare/index.ts'
import { copy } from './features/copy/index.ts'
import { credentials } from './features/credentials/index.ts'
import { demo } from './features/demo/index.ts'
import { doctor } from './features/doctor/index.ts'
import { events } from './features/events/index.ts'
import { explorer } from './features/explorer/index.ts'
import { keys } from './features/keys/index.ts'
import { later } from './features/later/index.ts'
import { mcp } from './features/mcp/index.ts'
import { mirror } from './features/mirror/index.ts'
import { movers } from './features/movers/index.ts'
import { ownRecord } from './features/own-record/index.ts'
import { passports } from './features/passports/index.ts'
import { pictures } from './features/pictures/index.ts'
import { privacy } from './features/privacy/index.ts'
import { proof } from './features/proof/index.ts'
import { records } from './features/records/index.ts'
import { reference } from './features/reference/index.ts'
import { retire } from './features/retire/index.ts'
import { rules } from './features/rules/index.ts'
import { v1 } from './features/v1/index.ts'
import { v2 } from './features/v2/index.ts'
import { webhooks } from './features/webhooks/index.ts'

/** In the order of their commands in the help. */
export const FEATURES: readonly Feature[] = [
  v1,
  v2,
  later,
  passports,
  records,
  rules,
  events,
  keys,
  webhooks,
  ownRecord,
  privacy,
  proof,
  mirror,
  retire,
  mcp,
  reference,
  explorer,
  credentials,
  compare,
  movers,
  pictures,
  copy,
  backup,
  doctor,
  demo,
]
