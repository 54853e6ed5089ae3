import type { WireDiff, WireEvent, WireEventPage, WireLog } from '../history/event-schema.ts'
import { EXAMPLE } from '../http/openapi-parts.ts'
import { presentPassport } from './present.ts'
import type { WireRecordsResult } from './write-schemas.ts'

const { mainWallet: wallet, rules: stamp, credentials } = EXAMPLE
const [{ type, name, category, score, max_score, value, from }] = credentials
const calculated = new Date(EXAMPLE.calculatedAt).toISOString()
const formula = 'min(round(√68 × 0.4), 20) = 3'
const accounts = [
  { account: null, value, kind: 'number' as const, amount: 68, counts: true, formula, issuer: null },
]
const digest = '6ac5ec4e6b35d04782cfde5e88778ccd3b5890dd2999dc566727454e70591973'

export const PASSPORT = presentPassport(EXAMPLE, {
  standing: {
    ...{ rank: 488, of: 1000, percentile: 49.8 },
    parts: {
      activity: { rank: 504, of: 1000, percentile: 46.1 },
      identity: { rank: 626, of: 1000, percentile: 34.1 },
      skills: { rank: 436, of: 1000, percentile: 55.6 },
    },
  },
  explanation: {
    method: 'rules',
    rules: stamp,
    score: EXAMPLE.scores.total,
    given_human: false,
    lines: [
      {
        ...{ type, name, category, score, max_score, from, given_score: null, formula, accounts },
        more_accounts: 0,
      },
    ],
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
  items: [
    {
      passport_id: 1,
      score: 371,
      human_checkmark: true,
      passport_profile: {
        display_name: 'Ada Harborlight',
        bio: 'Invented person no. 1. Builds lighthouses, and the small contracts that keep them lit. Teaches on Thursdays, sails on Fridays.',
        location: 'Reykjavík',
        tags: ['builder', 'solidity', 'educator', 'community'],
      },
    },
    {
      passport_id: 331,
      score: 339,
      human_checkmark: true,
      passport_profile: {
        display_name: 'Jürgen Junipermeadow',
        bio: 'Invented person no. 331. Designs slow trains.',
        location: 'Nairobi',
        tags: ['builder', 'writer', 'zk', 'founder'],
      },
    },
  ],
  next: 'MzM5IDMzMSA3MjcxYTAzNg',
  total: 1000,
}

export const SEARCH = {
  items: LIST.items.slice(0, 1),
  next: 'MCAxIDU2M2ZmMmQ5',
  total: 36,
  reading: {
    name: '',
    filter: 'human:true,location:reykjavik',
    chips: [
      {
        ...{ words: 'human', filter: 'human:true', field: 'human' },
        values: [{ not: false, operator: '=', value: 'true', label: 'true', type: null }],
      },
      {
        ...{ words: 'reykjavik', filter: 'location:reykjavik', field: 'location' },
        values: [{ not: false, operator: '=', value: 'reykjavik', label: 'Reykjavík', type: null }],
      },
    ],
  },
  matches: [],
  suggestions: [],
  instead: null,
}

export const SCORES = {
  total: 1000,
  highest: 371,
  median: 63,
  step: 10,
  counts: [
    ...[
      0, 25, 82, 111, 147, 113, 83, 68, 46, 36, 28, 27, 18, 23, 27, 16, 19, 11, 13, 12, 15, 14, 11, 11, 7, 4,
    ],
    ...[6, 6, 9, 3, 1, 3, 1, 3, 0, 0, 0, 1, 0],
  ],
}

export const LOOKUP_REQUEST = {
  keys: ['42', 'github:someone178', 'github:nobody', 'github:'],
  select: ['score'],
}

export const LOOKUP = {
  items: [
    { key: '42', passport: { score: EXAMPLE.scores.total } },
    { key: 'github:someone178', error: 'ambiguous', candidates: [301, 807] },
    { key: 'github:nobody', error: 'not_found' },
    { key: 'github:', error: 'malformed' },
  ],
  found: 1,
}

export const RULE_SET = {
  stamp,
  digest,
  version: '2026-11',
  levels: [
    { name: 'Beginner', from: 0 },
    { name: 'Regular', from: 30 },
    { name: 'Established', from: 60 },
    { name: 'Advanced', from: 120 },
    { name: 'Outstanding', from: 250 },
  ],
  types: {
    [type]: {
      name,
      category,
      max_score,
      convert: 'sqrt',
      multiplier: 0.4,
      accounts: 'sum',
      proves_human: false,
    },
  },
}

export const EVENT: WireEvent = {
  specversion: '1.0',
  id: 'k3f9a2-1256',
  source: 'https://passports.example.com/api/v3',
  type: 'score.changed',
  subject: '42',
  time: calculated,
  data: {
    score: [60, 63],
    activity_score: [17, 18],
    identity_score: [5, 6],
    skills_score: [38, 39],
    rules: stamp,
    credentials: [
      { type: 'bonsai', score: [null, 1], cause: 'added' },
      { type: 'github_developer', score: [7, 8], cause: 'time' },
      { type: 'phaver', score: [1, 2], cause: 'value' },
    ],
  },
}

export const EVENTS: WireEventPage = { items: [EVENT], next: EVENT.id }

export const LOG: WireLog = {
  ...{ log: 'k3f9a2', first: 1, length: 1256, last: 1256 },
  ...{ base: '0'.repeat(64), head: '1d4c9b0e'.repeat(8), time: calculated, signed: null },
}

export const RECORDS_REQUEST = {
  records: [
    { passport: 42, type: 'github', value: 1734, account: 'zoe', display: '1734 contributions' },
    { passport: wallet, type: 'github', account: 'zoe-old', withdrawn: true },
  ],
}

const cursor = 'k3f9a2-1257'

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
  from: '2026-10-01T00:00:00.000Z',
  to: calculated,
  score: [54, 63],
  causes: [
    { type: 'zksync_builder', delta: 4, cause: 'added' },
    { type: 'github_developer', delta: 2, cause: 'time' },
    { type: 'bonsai', delta: 1, cause: 'added' },
    { type: 'phaver', delta: 1, cause: 'value' },
    { type: 'basename', delta: 1, cause: 'time' },
  ],
}
