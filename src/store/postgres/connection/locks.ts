import type { Query } from '../../sql/connection.ts'

/** Advisory locks, held until the transaction ends. Their numbers begin with "pass" in ASCII. */
const FIRST = 0x70617373 * 2 ** 16

export const MIGRATE = FIRST
/** One writer of records at a time: the result of a record depends on earlier ones. */
export const WRITE = FIRST + 1
/** Shared by writers that use the rule set in force; exclusive for its adoption. */
export const RULES = FIRST + 2

export async function lock(query: Query, number: number): Promise<void> {
  await query('select pg_advisory_xact_lock($1::bigint)', [number])
}

export async function lockShared(query: Query, number: number): Promise<void> {
  await query('select pg_advisory_xact_lock_shared($1::bigint)', [number])
}
