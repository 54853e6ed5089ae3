import { join } from 'node:path'
import { serveProcess } from '../../test/support/cli.ts'
import { isAlive } from '../../test/support/process-info.ts'
import { hasPrograms } from '../../test/support/programs.ts'
import { pretendRedis, startRedis } from '../../test/support/redis/redis.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../run-scenario.ts'
import { demoArgs } from '../support/demo-args.ts'
import { FAULTS, INVALID_REPLIES } from '../support/redis-faults.ts'

const LIMIT = 20
const NODES = 2
/** The number of requests to each node, which exceeds the limit. */
const REQUESTS = LIMIT + 5
/** A request waits 100 ms for Redis; the rest is a margin for a busy machine. */
const LATEST_MILLISECONDS = 5000
const FAULT_MILLISECONDS = 700

/** Two nodes share their rate limits through Redis. */
export const redis: Scenario = {
  name: 'redis',
  title:
    'Redis stopped, killed, frozen, out of memory or connections, disconnected, or replaced by a server that sends garbage',
  long: FAULTS.length,
  short: 1,
  run: (times, fail) => (hasPrograms('redis-server') ? withRedis(times, fail) : withoutRedis(times, fail)),
}

async function withRedis(times: number, fail: Fail) {
  await using redis = await startRedis()
  await using nodes = await serveNodes(redis.url, times === 1)
  let [responses, slowest] = [0, 0]
  const send = async () => {
    const sent = await nodes.send()
    responses += sent.count
    slowest = Math.max(slowest, sent.slowest)
    return sent
  }
  /** Waits until both nodes together admit exactly the limit. */
  const untilShared = (when: string) =>
    until(async () => (await send()).passed === LIMIT, `the nodes to share limits ${when}`)

  await untilShared('before the first fault')
  for (let round = 0; round < times; round++) {
    const { name, begin } = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number]
    let isOver = false
    const sending = (async () => {
      while (!isOver) {
        const { passed, wrong } = await send()
        for (const problem of wrong) fail(`${name}: ${problem}`)
        if (passed < LIMIT || passed > NODES * LIMIT) fail(`${name}: ${passed} requests passed`)
      }
    })()
    const end = await begin(redis)
    await Bun.sleep(times > 1 ? FAULT_MILLISECONDS : 100)
    isOver = true
    await sending
    await end()
    await untilShared(`after the fault "${name}"`)
  }
  if (!nodes.areAlive()) fail('a server has exited')
  return { count: times, note: `${responses} responses, the slowest after ${Math.round(slowest)} ms` }
}

/** If Redis is not installed, only fake servers that send invalid replies are tested. */
async function withoutRedis(times: number, fail: Fail) {
  const replies = Object.entries(INVALID_REPLIES)
  for (let round = 0; round < times; round++) {
    const [name, reply] = replies[round % replies.length] as (typeof replies)[number]
    using other = pretendRedis(reply)
    await using nodes = await serveNodes(other.url, true)
    const { passed, wrong } = await nodes.send()
    const isRight = wrong.length === 0 && passed === NODES * LIMIT && nodes.areAlive()
    if (!isRight) fail(`${name}: ${passed} requests passed, ${wrong.join(', ')}`)
  }
  return { count: times, note: 'without redis-server' }
}

async function serveNodes(redisUrl: string, isShort: boolean) {
  await using made = new AsyncDisposableStack()
  const { path: cwd } = made.use(tempFolder())
  const path = join(cwd, 'people.db')
  const env = {
    DATABASE_URL: `sqlite:${path}`,
    REDIS_URL: redisUrl,
    TIERS: `anonymous=${LIMIT}/24h`,
    TRUST_PROXY: '127.0.0.1',
  }
  const demo = await demoArgs(path, isShort)
  const served: Awaited<ReturnType<typeof serveProcess>>[] = []
  for (let node = 0; node < NODES; node++) {
    const args = !isShort && node === 1 ? [...demo, '--workers', '2'] : demo
    served.push(made.use(await serveProcess(args, { cwd, env })))
  }
  const pids = served.map(({ child }) => child.pid)
  const kept = made.move()
  let clients = 0

  return {
    /** Sends more requests than the limit, from a new client address, to all nodes at once. */
    async send() {
      clients++
      const address = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`
      const sent = { count: NODES * REQUESTS, passed: 0, slowest: 0, wrong: [] as string[] }
      await Promise.all(
        served.flatMap(({ url }) =>
          Array.from({ length: REQUESTS }, async () => {
            const begin = performance.now()
            const problem = await problemOf(url, address)
            const time = performance.now() - begin
            sent.slowest = Math.max(sent.slowest, time)
            if (problem === '') sent.passed++
            else if (problem !== 'limited') sent.wrong.push(problem)
            if (time > LATEST_MILLISECONDS) sent.wrong.push(`a response took ${Math.round(time)} ms`)
          }),
        ),
      )
      return sent
    },
    areAlive: () => pids.every(isAlive),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Returns '' if the request was admitted, and 'limited' for a correct 429. */
async function problemOf(url: string, address: string): Promise<string> {
  try {
    const headers = { 'X-Forwarded-For': address }
    const response = await fetch(`${url}/api/v1/passports/7`, {
      headers,
      signal: AbortSignal.timeout(30_000),
    })
    const { passport, code } = (await response.json()) as {
      passport?: { passport_id: number }
      code?: string
    }
    if (response.status === 200 && passport?.passport_id === 7) return ''
    const isLimited =
      response.status === 429 && code === 'rate_limited' && response.headers.has('Retry-After')
    return isLimited ? 'limited' : `${response.status} ${code}`
  } catch (error) {
    return String(error)
  }
}
