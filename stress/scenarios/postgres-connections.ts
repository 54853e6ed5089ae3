import { openPool, type Pool } from '../../src/core/store/database/postgres/connection/pool.ts'
import { connect } from '../../test/support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres } from '../../test/support/postgres/postgres.ts'
import { succeeds, until } from '../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../run-scenario.ts'

const RESPONSE_TIMEOUT = 3000
const FROZEN_MILLISECONDS = 8000
const READERS = 20
/** A call fails within this time, and reads succeed again within this time after the server responds. */
const LATEST_FAILURE_MILLISECONDS = 2 * RESPONSE_TIMEOUT + 1000
const LATEST_RECOVERY_MILLISECONDS = 2000

type Target = { server: PostgresServer; pool: Pool; fail: Fail }

/** `mayFail`: the server is unavailable for a while. Otherwise each read must succeed. */
type Event = { name: string; mayFail: boolean; run(target: Target): Promise<unknown> }

const EVENTS: readonly Event[] = [
  {
    name: 'all processes of the server frozen',
    mayFail: true,
    async run({ server }) {
      server.freeze()
      await Bun.sleep(FROZEN_MILLISECONDS)
      server.thaw()
    },
  },
  {
    name: 'the server killed and started again',
    mayFail: true,
    async run({ server }) {
      await server.kill()
      await server.start()
    },
  },
  {
    name: 'all connections ended by the server',
    mayFail: false,
    async run({ server }) {
      await using sql = connect(server.url)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'passportd'`
    },
  },
  {
    name: 'one statement of ten seconds',
    mayFail: false,
    async run({ pool, fail }) {
      if (await succeeds(pool.read('select pg_sleep(10)'))) fail('a statement ran longer than its limit')
    },
  },
]

export const postgresConnections: Scenario = {
  name: 'postgres-connections',
  title: 'connections to PostgreSQL: the server frozen, killed, ending all sessions, and a slow statement',
  long: 12,
  short: 4,
  async run(times, fail, exceed) {
    await using server = await startPostgres()
    await using pool = openPool(server.url, { connections: 5, responseTimeout: RESPONSE_TIMEOUT })
    await pool.write('create table counted (id integer primary key, hits integer)')
    await pool.write('insert into counted values (1, 0)')
    const load = startLoad(pool)
    const recoveries: number[] = []
    for (let round = 0; round < times; round++) {
      const { name, mayFail, run } = EVENTS[round % EVENTS.length] as Event
      await until(() => load.isRunning(), 'reads and writes')
      load.reset()
      await run({ server, pool, fail: (problem) => fail(`${name}: ${problem}`) })
      const begin = performance.now()
      await until(() => load.isRunning(), 'reads and writes')
      recoveries.push(performance.now() - begin)
      const { failed, slowest, unexpected } = load.counts
      if (unexpected) fail(`${name}: ${unexpected}`)
      if (failed > 0 && !mayFail) fail(`${name}: ${failed} reads failed`)
      if (slowest > LATEST_FAILURE_MILLISECONDS) exceed(`${name}: a read took ${Math.round(slowest)} ms`)
    }
    const longest = Math.max(...recoveries)
    if (longest > LATEST_RECOVERY_MILLISECONDS) exceed(`no reads for ${Math.round(longest)} ms`)
    const acknowledged = await load.end()
    const [row] = await pool.read<{ hits: number }>('select hits from counted')
    const lost = Math.max(0, acknowledged - (row?.hits ?? 0))
    if (lost > 0) fail(`${lost} acknowledged writes are lost`)
    return {
      count: times,
      note: `${acknowledged.toLocaleString('en')} acknowledged writes, none lost; reads again after at most ${Math.round(longest)} ms`,
    }
  },
}

/** Reads and writes until `end`, which returns the number of acknowledged writes. */
function startLoad(pool: Pool) {
  const counts = { read: 0, written: 0, failed: 0, slowest: 0, unexpected: '' }
  let acknowledged = 0
  let isOver = false

  async function attempt(work: () => Promise<unknown>, onError: (error: Error) => void): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'unavailable') counts.unexpected ||= `${error}`
      onError(error as Error)
      await Bun.sleep(20)
      return false
    }
  }
  async function read(): Promise<void> {
    while (!isOver) {
      const begin = performance.now()
      const isRead = await attempt(
        () => pool.read('select hits from counted where id = $1', [1]),
        () => counts.failed++,
      )
      if (isRead) counts.read++
      counts.slowest = Math.max(counts.slowest, performance.now() - begin)
      await Bun.sleep(2)
    }
  }
  async function write(): Promise<void> {
    while (!isOver) {
      const isWritten = await attempt(
        () => pool.transaction((query) => query('update counted set hits = hits + 1 where id = 1')),
        () => undefined,
      )
      if (isWritten) acknowledged++
      if (isWritten) counts.written++
      await Bun.sleep(10)
    }
  }

  const running = [...Array.from({ length: READERS }, read), write()]
  let seen = { read: 0, written: 0 }
  return {
    counts,
    reset() {
      Object.assign(counts, { failed: 0, slowest: 0, unexpected: '' })
    },
    /** Whether there were reads by each reader and a write since the last call that returned true. */
    isRunning(): boolean {
      const isRunning = counts.read > seen.read + 2 * READERS && counts.written > seen.written
      if (isRunning) seen = { ...counts }
      return isRunning
    },
    async end(): Promise<number> {
      isOver = true
      await Promise.all(running)
      return acknowledged
    },
  }
}
