import type { Query } from '../../sql/connection.ts'
import type { ChangedPassport, ListingChanges, ListingStore } from '../../store.ts'

/** After more changes than this, the whole listing is read. */
const MOST_CHANGES = 50_000

/** `readRecent` returns `undefined` after more changes than this. */
const MOST_RECENT_CHANGES = 5000

/** Folded names contain no line feed. */
const SEPARATOR = '\n'

/** The server process. After a failover, transactions may be lost and their numbers used again. */
const SERVER = `(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint::text as server`

const COUNTER = `(select version from versions where name = 'ranking')`

/**
 * `<counter>:<xmin>`. The counter shows whether anything changed. Transactions from xmin on may have been
 * uncommitted at the last read, so their rows are read again.
 */
const CURSOR = `${COUNTER} || ':' || pg_snapshot_xmin(pg_current_snapshot())::text as cursor`

/** One row: ids and scores as binary numbers, names separated by line feeds. */
const READ_ALL = `select ${CURSOR},
  string_agg(int8send(passport_id) || float8send(score), ''::bytea order by score desc, passport_id) as ranked,
  string_agg(name, E'\\n' order by score desc, passport_id) as names from v1_passports`

type AllRow = { cursor: string; ranked: Buffer | null; names: string | null }

/** The version of a row is the number of the transaction that wrote it. `readLong` may lack the last changes. */
export function createListing(readLong: Query, read: Query): Omit<ListingStore, 'listFacets'> {
  return {
    async readAll(add) {
      const [primary] = await read<{ server: string }>(`select ${SERVER}`)
      const [row] = await readLong<AllRow>(READ_ALL)
      const cursor = `${primary?.server}:${row?.cursor}`
      if (!row?.ranked) return cursor
      const names = (row.names ?? '').split(SEPARATOR)
      const { buffer, byteOffset, byteLength } = row.ranked
      const numbers = new DataView(buffer, byteOffset, byteLength)
      for (const [rank, name] of names.entries()) {
        const at = rank * 16
        const id = numbers.getInt32(at) * 2 ** 32 + numbers.getUint32(at + 4)
        add({ id, score: numbers.getFloat64(at + 8), name })
      }
      return cursor
    },
    readChanges: (since) => readChanges(read, since, MOST_CHANGES),
    readRecent: (since) => readChanges(read, since, MOST_RECENT_CHANGES),
  }
}

async function readChanges(query: Query, since: string, most: number): Promise<ListingChanges | undefined> {
  const [server, counter, transaction] = since.split(':')
  const [now] = await query<{ server: string; counter: string }>(
    `select ${SERVER}, ${COUNTER}::text as counter`,
  )
  if (now?.server !== server) return undefined
  if (now?.counter === counter) return { cursor: since, listed: [], unlisted: [] }
  const [row] = await query<{ cursor: string; listed: ChangedPassport[]; unlisted: number[] }>(
    `select ${CURSOR},
       coalesce((select json_agg(json_build_object('id', passport_id, 'score', score, 'name', name, 'version', version)) from
         (select * from v1_passports where version >= $1::bigint limit ${most + 1}) as changed), '[]') as listed,
       coalesce((select json_agg(passport_id) from
         (select * from unlisted where version >= $1::bigint limit ${most + 1}) as gone), '[]') as unlisted`,
    [transaction],
  )
  if (row === undefined || row.listed.length > most || row.unlisted.length > most) return undefined
  return { ...row, cursor: `${server}:${row.cursor}` }
}
