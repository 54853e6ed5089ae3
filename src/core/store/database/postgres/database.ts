import type { Connection, Database, Lock, Query } from '../../sql/connection.ts'
import { createTranslation } from '../../sql/words.ts'
import type { Pool } from './connection/pool.ts'

const translate = createTranslation({
  // Bun encodes parameters of the type `json` a second time. The planner expects ten rows of an array, and looks them
  // up in an index; of `json_array_elements_text` it expects 100, and scans tables of 20,000 rows.
  LIST: (parameter) => `(select value, cast(key - 1 as integer) as key
    from unnest(array(select json_array_elements_text(${parameter}::text::json))) with ordinality as list (value, key)
  ) as list`,
  LOCK: 'for update',
  SKIP: 'for update skip locked',
  COLUMNS: `(
    select relname::text as "table", attname::text as "column",
      coalesce(array_position(conkey, attnum), 0) as key
    from pg_class join pg_attribute on attrelid = pg_class.oid
      left join pg_constraint on conrelid = pg_class.oid and contype = 'p'
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and attnum > 0 and not attisdropped
  ) as columns`,
  INT: 'bigint',
  REAL: 'double precision',
  KEY: 'text collate "C"',
  ROWS: '',
  PAIRS: '',
  NOW: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
})

const toParameter = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value)

/** Advisory locks, held until the transaction ends. Their numbers begin with "pass" in ASCII. */
const FIRST_LOCK = 0x70617373 * 2 ** 16
export const MIGRATE = FIRST_LOCK
/** Admits one writer of records, because the result of saving a record depends on earlier records. */
const WRITE = FIRST_LOCK + 1
/** Writers that use the rule set in force share this lock. The adoption of a rule set takes it exclusively. */
const RULES = FIRST_LOCK + 2

export const lock = (query: Query, number: number, mode: '' | '_shared' = '') =>
  query(`select pg_advisory_xact_lock${mode}($1::bigint)`, [number])

const LOCKS: Record<Lock, (query: Query) => Promise<unknown>> = {
  rules: (query) => lock(query, RULES),
  'rules shared': (query) => lock(query, RULES, '_shared'),
  async records(query) {
    await lock(query, WRITE)
    await lock(query, RULES, '_shared')
  },
}

export function createDatabase({ read, readLong, write, transaction, snapshot }: Pool): Database {
  return {
    lookup: createConnection(read).query,
    read: createConnection(read),
    long: createConnection(readLong),
    write: createConnection(write).query,
    transaction: (work, name) =>
      transaction(async (query) => {
        if (name) await LOCKS[name](query)
        return work({ ...createConnection(query), eraseRemoved: () => undefined })
      }),
    snapshot: (work) => snapshot((query) => work(createConnection(query))),
  }
}

export function createConnection(run: Query): Connection {
  const query: Query = (text, values = []) => run(translate(text), values.map(toParameter))
  return {
    query,
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
  }
}
