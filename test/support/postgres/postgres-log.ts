import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { openPostgres } from '../../../src/core/store/database/postgres/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { until } from '../wait-until.ts'
import type { PostgresServer } from './postgres.ts'

/** Settings with which a server logs the phases and the plan of each statement. */
export const TALKATIVE = {
  log_line_prefix: '',
  log_min_duration_statement: 0,
  log_parameter_max_length: 0,
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': 0,
  'auto_explain.log_parameter_max_length': 0,
}

/** The entries that the server logs during `work`. */
export async function logOf(server: PostgresServer, work: (store: Store) => unknown): Promise<string[]> {
  const file = join(dirname(server.data), 'log')
  const begin = statSync(file).size
  const store = await openPostgres(server)
  try {
    await work(store)
  } finally {
    await store.database.close()
  }
  // The server logs the end of a connection after the client has its response.
  await using sql = new SQL(server.url, { max: 1 })
  await until(
    async () => (await sql`select from pg_stat_activity where application_name = 'passportd'`).length === 0,
  )
  return readFileSync(file)
    .subarray(begin)
    .toString()
    .split(/^LOG: {2}duration: \S+ ms {2}/m)
}
