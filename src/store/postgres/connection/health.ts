import { isServerError } from './errors.ts'
import { after, CONNECT_MILLISECONDS, noteResult, type Session, unavailable } from './session.ts'

/** The result of a health check. */
export type Health = {
  writes: boolean
  /** The version of the keys. */
  keys: number
  server: string
  isReplica: boolean
  /** The position in the WAL: flushed on a primary, replayed on a replica. */
  lsn: number
  /** When the check was sent, by `performance.now()`. */
  sentAt: number
}

/** Identifies a server process and its database. */
const SERVER = `pg_postmaster_start_time()::text || ' ' || current_database()`

const HEALTH = `select current_setting('transaction_read_only') = 'off' as writes,
  ${SERVER} as server,
  (select version from versions where name = 'keys')::float8 as keys,
  pg_is_in_recovery() as "isReplica",
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
    - '0/0'::pg_lsn)::float8 as lsn`

/** Throws if the server refuses connections, or sends no result of any statement for `timeout` milliseconds. */
export async function readHealth(session: Session, name: string, timeout: number): Promise<Health> {
  const sentAt = performance.now()
  const silence = rejectWhenSilent(session, name, timeout)
  try {
    const [row] = await Promise.race([readTwice(session), silence.promise])
    noteResult(session)
    return { ...(row as Omit<Health, 'sentAt'>), sentAt }
  } finally {
    silence.end()
  }
}

/** A server that closes one connection may accept another. */
async function readTwice({ pools }: Session): Promise<unknown[]> {
  try {
    return await pools.probe.unsafe(HEALTH)
  } catch (error) {
    if (!isServerError(error)) throw error
    return pools.probe.unsafe(HEALTH)
  }
}

/** A slow server is not silent: it sends results of other statements. The first result needs a connection. */
function rejectWhenSilent(session: Session, name: string, timeout: number) {
  const { promise, reject } = Promise.withResolvers<never>()
  const begin = performance.now()
  let timer: Timer | undefined
  function check(): void {
    const { lastResult } = session
    const end =
      lastResult === undefined ? begin + CONNECT_MILLISECONDS : Math.max(begin, lastResult) + timeout
    const rest = end - performance.now()
    if (rest <= 0) reject(unavailable(name, 'does not respond.'))
    else timer = after(rest, check)
  }
  check()
  return { promise, end: () => clearTimeout(timer) }
}
