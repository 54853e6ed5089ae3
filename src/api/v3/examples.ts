import type { WireDiff, WireEvent, WireEventPage, WireLog } from '../../domain/v3/event-schema.ts'
import { presentPassport } from '../../domain/v3/present.ts'
import type { WireSubscription, WireSubscriptionRequest } from '../../domain/v3/subscription-schema.ts'
import type { WireRecordsResult } from '../../domain/v3/write-schemas.ts'
import { EXAMPLE } from '../openapi-parts.ts'

const { mainWallet: wallet, rules: stamp, credentials } = EXAMPLE
const [{ type, name, category, score, max_score, value, from }] = credentials
const calculated = new Date(EXAMPLE.calculatedAt).toISOString()
const formula = 'min(round(√1734 × 0.5), 40) = 21'
const accounts = [
  { account: 'zoe', value, kind: 'number' as const, amount: 1734, counts: true, formula, issuer: null },
]
const digest = '4f0c6e5b9d1a8e27c3b46d90fa1257e8b3c9d2016f7a4e85d0b1c2936e8f7a54'

export const PASSPORT = presentPassport(EXAMPLE, {
  standing: { rank: 1204, of: 98211, percentile: 98.7 },
  explanation: {
    method: 'rules',
    rules: stamp,
    score: 26,
    given_human: true,
    lines: [{ type, name, category, score, max_score, from, given_score: null, formula, accounts }],
    caps: {},
  },
  rules_digest: digest,
})

export const SNAPSHOT = {
  schema: {
    type: 'string',
    description:
      'A W3C Verifiable Credential 2.0 as a JWT, signed with a key of `/.well-known/jwks.json`. It is valid for 30 days and has all inputs of the score, but no name, account or wallet',
  },
  example: 'eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.eyJpc3MiOiJkaWQ6d2ViOmV4YW1wbGUuY29tIn0.c2ln',
}

export const LIST = {
  items: [{ passport_id: 42, score: 26 }],
  next: 'MjYgNyA0YjFkMGM5Zg',
  total: 1204,
  groups: [
    { value: 'github', count: 871 },
    { value: 'ens', count: 402 },
  ],
  more_groups: 0,
}

export const LOOKUP_REQUEST = { keys: ['42', wallet, 'github:zoe', 'github:'], select: ['score'] }

export const LOOKUP = {
  items: [
    { key: '42', passport: { score: 26 } },
    { key: wallet, error: 'not_found' },
    { key: 'github:zoe', error: 'ambiguous', candidates: [7, 12] },
    { key: 'github:', error: 'malformed' },
  ],
  found: 1,
}

export const RULE_SET = {
  stamp,
  digest,
  version: '2026-11',
  caps: { Activity: 100 },
  levels: [
    { name: 'Beginner', from: 0 },
    { name: 'Regular', from: 30 },
  ],
  types: {
    [type]: {
      name,
      category,
      max_score,
      convert: 'sqrt',
      multiplier: 0.5,
      accounts: 'best',
      proves_human: false,
    },
  },
}

export const EVENT: WireEvent = {
  specversion: '1.0',
  id: 'k3f9a2-918273',
  source: 'https://passports.example.com/api/v3',
  type: 'score.changed',
  subject: '42',
  time: calculated,
  data: {
    score: [23, 26],
    skills_score: [18, 21],
    rules: stamp,
    credentials: [{ type: 'github', score: [18, 21], cause: 'value' }],
  },
}

export const EVENTS: WireEventPage = { items: [EVENT], next: EVENT.id }

export const LOG: WireLog = {
  ...{ log: 'k3f9a2', first: 1, length: 918273, last: 918273 },
  ...{ base: '0'.repeat(64), head: '1d4c9b0e'.repeat(8), time: calculated, signed: null },
}

export const RECORDS_REQUEST = {
  records: [
    { passport: 42, type, value: 1734, account: 'zoe', display: value },
    { passport: wallet, type, account: 'zoe-old', withdrawn: true },
  ],
}

const cursor = 'k3f9a2-918273'

export const RECORDS: WireRecordsResult = {
  added: 1,
  changed: 0,
  unchanged: 1,
  removed: 0,
  unknown_fields: 0,
  outcomes: [
    { line: 1, outcome: 'added' },
    { line: 2, outcome: 'unchanged' },
  ],
  cursor,
}

export const WRITTEN = { cursor }

export const DIFF: WireDiff = {
  passport_id: 42,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-03T00:00:00.000Z',
  score: [23, 26],
  causes: [{ type: 'github', delta: 3, cause: 'value' }],
}

export const SUBSCRIPTION_REQUEST: WireSubscriptionRequest = {
  url: 'https://example.com/hooks/passports',
  types: ['score.changed'],
  score: { above: 50 },
}

export const SUBSCRIPTION: WireSubscription = {
  id: 'sub_9f2c41d07a3be615',
  url: SUBSCRIPTION_REQUEST.url,
  types: ['score.changed'],
  passport: null,
  score: { above: 50 },
  state: 'active',
  cursor: 'k3f9a2-918273',
  lag: 0,
  failures: 0,
  last_error: null,
  notice: null,
  next_attempt_at: null,
  last_delivered_at: calculated,
  created_at: '2026-11-01T00:00:00.000Z',
  public_key: 'whpk_DCdSdMJGtQ+xCfc4Lr0iQqZYzTgnGhqJ1V0uZ7mO4Ws=',
}
