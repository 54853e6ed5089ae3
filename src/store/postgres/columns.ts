import type { Columns } from './query.ts'

/** What the list shows. */
export const LISTED_COLUMNS = {
  id: 'bigint',
  score: 'float8',
  activity_score: 'float8',
  identity_score: 'float8',
  skills_score: 'float8',
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

export const WALLET_COLUMNS = { address: 'text', passport_id: 'bigint' } as const satisfies Columns

export const CREDENTIAL_COLUMNS = { passport_id: 'bigint', data: 'text' } as const satisfies Columns

export const V1_PASSPORT_COLUMNS = {
  passport_id: 'bigint',
  score: 'float8',
  name: 'text',
  item: 'text',
  body: 'text',
  etag: 'text',
  merged: 'integer',
} as const satisfies Columns

export const V1_CREDENTIALS_COLUMNS = {
  passport_id: 'bigint',
  body: 'text',
  etag: 'text',
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

export const REMOVAL_COLUMNS = { passport_id: 'bigint', removed_at: 'bigint' } as const satisfies Columns
