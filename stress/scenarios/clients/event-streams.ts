import { openPostgres } from '../../../src/core/store/database/postgres/open.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { followEvents } from '../../../test/support/http/event-stream.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { testDatabase } from '../../../test/support/postgres/postgres.ts'
import { record } from '../../../test/support/store/records.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'
import { tryToServe } from '../../support/command.ts'

const FOLLOWERS = 4
const LATEST_MILLISECONDS = 300
/** After every fifth round, one of the two nodes is killed and restarted. */
const KILL_ROUNDS = 5

type Follower = ReturnType<typeof followEvents>

export const eventStreams: Scenario = {
  name: 'event-streams',
  title:
    'clients follow events on two nodes that are killed in turn: each event arrives once, in order, soon',
  long: 300,
  short: 6,
  async run(times, fail, exceed) {
    await using database = await testDatabase()
    const store = await openPostgres(database)
    const { key } = await makeKey(store, 1)
    using folder = tempFolder()
    const env = { DATABASE_URL: database.url, TIERS: 'standard=unlimited' }
    const serve = () => tryToServe({ cwd: folder.path, database: '', env, timeout: 3_600_000 })
    const nodes = [await serve(), await serve()]
    const urlOf = (at: number) => nodes[at % 2]?.url ?? ''
    const followers = Array.from({ length: FOLLOWERS }, (_, at) => followEvents(() => urlOf(at), key))
    const delays: number[] = []
    for (let round = 0; round < times; round++) {
      delays.push(...(await writeAndWait(store, round, followers)))
      if (round % KILL_ROUNDS !== KILL_ROUNDS - 1) continue
      const at = Math.floor(round / KILL_ROUNDS) % 2
      await nodes[at]?.[Symbol.asyncDispose]()
      await writeAndWait(store, -round, followers.slice(1 - at, 2 - at))
      nodes[at] = await serve()
    }
    await checkAll(store, followers, fail)
    const late = delays.toSorted((one, other) => one - other)
    const percentile = (share: number) => Math.round(late[Math.floor((late.length - 1) * share)] ?? 0)
    if (percentile(0.5) > LATEST_MILLISECONDS)
      exceed(`half of the events arrived later than ${percentile(0.5)} ms after their commit`)
    await Promise.all(followers.map((follower) => follower.end()))
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
    await store.database.close()
    const note = `commit to client: median ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, maximum ${percentile(1)} ms`
    return { count: times, note }
  },
}

/** Returns the milliseconds from the commit until each follower has received the event. */
async function writeAndWait(store: Store, round: number, followers: readonly Follower[]): Promise<number[]> {
  const passport = record(Math.abs(round), { connections: round + 1_000_000 })
  await store.records.save([{ kind: 'passport', passport }], { now: Date.now(), restore: false })
  const committed = performance.now()
  const { name, last } = await store.events.log()
  return Promise.all(
    followers.map(async (follower) => {
      await until(() => follower.received().at(-1)?.id === `${name}-${last}`)
      return performance.now() - committed
    }),
  )
}

async function checkAll({ events }: Store, followers: readonly Follower[], fail: Fail): Promise<void> {
  const { name, last } = await events.log()
  const expected = Array.from({ length: last }, (_, at) => `${name}-${at + 1}`)
  for (const follower of followers) {
    await until(() => follower.received().at(-1)?.id === `${name}-${last}`)
    const ids = follower.received().map(({ id }) => id)
    if (!Bun.deepEquals(ids, expected)) fail(`a client got ${ids.length} events; ${last} are expected`)
  }
}
