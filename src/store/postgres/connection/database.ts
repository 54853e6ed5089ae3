import type { Connection, Database, Dialect, Lock, Query } from '../../sql/connection.ts'
import type { Pool } from './health-checked-pool.ts'
import { lock, lockShared, RULES, WRITE } from './locks.ts'

export const DIALECT: Dialect = {
  isIn: (column, parameter, type = 'bigint') => `${column} = any(${parameter}::${type}[])`,
  isInSelect: (column, select) => `${column} = any(array(${select}))`,
  unnest: (parameter) => `select unnest(${parameter}::bigint[])`,
  // `offset 0` prevents the planner from reading the whole table.
  joinPassports: (condition) =>
    `, lateral (select next.id, next.merged_into from passports as next where ${condition} offset 0) as next`,
  version: 'pg_current_xact_id()::text::bigint',
  staleIndex: '',
  forUpdate: 'for update',
  skipLocked: 'for update skip locked',
}

const LOCKS: Record<Lock, (query: Query) => Promise<void>> = {
  rules: (query) => lock(query, RULES),
  'rules shared': (query) => lockShared(query, RULES),
  async records(query) {
    await lock(query, WRITE)
    await lockShared(query, RULES)
  },
}

export function createDatabase({ query, longQuery, transaction }: Pool): Database & { long: Connection } {
  return {
    read: createConnection(query),
    long: createConnection(longQuery),
    write: query,
    transaction: (work) =>
      transaction((query) =>
        work({
          ...createConnection(query),
          lock: (name) => LOCKS[name](query),
          increment: async (counter) =>
            void (await query('update versions set version = version + 1 where name = $1', [counter])),
          eraseRemoved: () => undefined,
        }),
      ),
    snapshot: (work) =>
      transaction((query) => work(createConnection(query)), 'isolation level repeatable read read only'),
  }
}

export const createConnection = (query: Query): Connection => ({
  dialect: DIALECT,
  query,
  /** Rows are selected as JSON, in which 64-bit integers are numbers. All stored integers are safe integers. */
  async selectRows<Row>(table: string, rest: string, values: readonly unknown[] = [], more = '') {
    const text = `select to_json(${table}) as row${more} from ${table} ${rest}`
    const rows = await query<{ row: Row }>(text, values)
    return more === '' ? rows.map(({ row }) => row) : rows.map(({ row, ...rest }) => ({ ...row, ...rest }))
  },
  async insertRows<Row>(table: string, rows: readonly object[], conflict = '') {
    const [first] = rows
    if (first === undefined) return []
    const columns = Object.keys(first)
    return query<Row>(
      `insert into ${table} (${columns})
       select ${columns} from json_populate_recordset(null::${table}, $1::text::json) ${conflict}`,
      [JSON.stringify(rows)],
    )
  },
})
