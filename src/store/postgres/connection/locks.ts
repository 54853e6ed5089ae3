import type { Query } from './query.ts'

/** Advisory locks, held until the transaction ends. Their numbers begin with "pass" in ASCII. */
const FIRST = 0x70617373 * 2 ** 16

export const MIGRATE = FIRST
/** Records are written by one at a time: what becomes of one depends on those before it. */
const WRITE = FIRST + 1
/** Shared by all who write by the rule set in force; whoever changes it has it alone. */
export const RULES = FIRST + 2

export async function lock(query: Query, number: number): Promise<void> {
  await query('select pg_advisory_xact_lock($1::bigint)', [number])
}

export async function lockShared(query: Query, number: number): Promise<void> {
  await query('select pg_advisory_xact_lock_shared($1::bigint)', [number])
}

/** For all that changes passports in an order of its own: two of them would wait for each other's rows. */
export async function lockForWriting(query: Query): Promise<void> {
  await lock(query, WRITE)
  await lockShared(query, RULES)
}
