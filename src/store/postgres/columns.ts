import type { Columns } from './query.ts'

const SCORES = {
  score: 'float8',
  activity_score: 'float8',
  identity_score: 'float8',
  skills_score: 'float8',
} as const satisfies Columns

/** What the list shows. */
export const LISTED_COLUMNS = {
  id: 'bigint',
  ...SCORES,
  stale: 'integer',
  calculated_at: 'bigint',
  human: 'integer',
  connections: 'bigint',
  main_wallet: 'text',
  verified_wallets: 'text',
  display_name: 'text',
  bio: 'text',
  location: 'text',
  tags: 'text',
} as const satisfies Columns

export const PASSPORT_COLUMNS = {
  ...LISTED_COLUMNS,
  socials: 'text',
  merged_into: 'bigint',
  given_human: 'integer',
  fingerprint: 'text',
  rules: 'text',
} as const satisfies Columns

/** What a scorer reads, and what it writes. */
export const SCORABLE_COLUMNS = {
  id: 'bigint',
  ...SCORES,
  given_human: 'integer',
  rules: 'text',
} as const satisfies Columns

export const SCORED_COLUMNS = { id: 'bigint', ...SCORES, human: 'integer' } as const satisfies Columns

export const WALLET_COLUMNS = { address: 'text', passport_id: 'bigint' } as const satisfies Columns

export const CREDENTIAL_COLUMNS = {
  passport_id: 'bigint',
  id: 'text',
  type: 'text',
  name: 'text',
  category: 'text',
  score: 'float8',
  max_score: 'float8',
  value: 'text',
  earned_at: 'bigint',
  calculated_at: 'bigint',
  given_score: 'float8',
  superseded: 'integer',
} as const satisfies Columns

export const DATA_POINT_COLUMNS = {
  passport_id: 'bigint',
  type: 'text',
  account: 'text',
  kind: 'text',
  amount: 'float8',
  display: 'text',
  earned_at: 'bigint',
} as const satisfies Columns

export const NAME_COLUMNS = { passport_id: 'bigint', name: 'text' } as const satisfies Columns

export const REMOVAL_COLUMNS = { passport_id: 'bigint', removed_at: 'bigint' } as const satisfies Columns
