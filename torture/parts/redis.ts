import { serveProcess } from '../../test/support/cli.ts'
import { until } from '../../test/support/postgres-process.ts'
import { childrenOf, isAlive } from '../../test/support/processes.ts'
import { hasRedis, pretendRedis, startRedis } from '../../test/support/redis.ts'
import { tempFolder } from '../../test/support/temp.ts'
import type { Part } from '../part.ts'
import { FAULTS, NONSENSE } from './redis-faults.ts'

const LIMIT = 20
const NODES = 2
/** More than the limit, at each node. */
const ASKED = LIMIT + 5
/** Nobody waits for Redis longer than a tenth of a second; this machine does all at once. */
const HANG_MILLISECONDS = 5000
const HURT_MILLISECONDS = 700

/** The limits of two nodes while the Redis in which they count together suffers. */
export const redis: Part = {
  name: 'redis',
  what: 'Redis stopped, killed, frozen, out of memory, full of others, its connections cut, or another in its place that talks nonsense',
  long: FAULTS.length,
  short: 1,
  run: (times, tell) => (hasRedis ? withRedis(times, tell) : withoutRedis(times, tell)),
}

async function withRedis(times: number, tell: (line: string) => void) {
  await using redis = await startRedis()
  await using nodes = await serveNodes(redis.url, times > 1)
  let [lost, answers, slowest] = [0, 0, 0]
  const lose = (what: string) => {
    lost++
    tell(what)
  }
  const ask = async () => {
    const asked = await nodes.ask()
    answers += asked.count
    slowest = Math.max(slowest, asked.slowest)
    return asked
  }
  /** All nodes together let through exactly what one would. */
  const untilShared = (when: string) =>
    until(async () => (await ask()).passed === LIMIT, `limits to be shared ${when}`)

  await untilShared('at first')
  for (let round = 0; round < times; round++) {
    const { name, begin } = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number]
    let isOver = false
    const asking = (async () => {
      while (!isOver) {
        const { passed, wrong } = await ask()
        for (const what of wrong) lose(`${name}: ${what}`)
        if (passed < LIMIT || passed > NODES * LIMIT) lose(`${name}: ${passed} requests passed`)
      }
    })()
    const end = await begin(redis)
    await Bun.sleep(times > 1 ? HURT_MILLISECONDS : 100)
    isOver = true
    await asking
    await end()
    await untilShared(`after: ${name}`)
  }
  if (!nodes.areAlive()) lose('A process of the service has ended.')
  return { count: times, lost, note: `${answers} answers, the slowest after ${Math.round(slowest)} ms` }
}

/** What can be done without one: others in its place. */
async function withoutRedis(times: number, tell: (line: string) => void) {
  let lost = 0
  const answers = Object.entries(NONSENSE)
  for (let round = 0; round < times; round++) {
    const [name, answer] = answers[round % answers.length] as (typeof answers)[number]
    using other = pretendRedis(answer)
    await using nodes = await serveNodes(other.url, false)
    const { passed, wrong } = await nodes.ask()
    const isRight = wrong.length === 0 && passed === NODES * LIMIT && nodes.areAlive()
    if (isRight) continue
    lost++
    tell(`${name}: ${passed} requests passed, ${wrong.join(', ')}`)
  }
  return { count: times, lost, note: 'there is no redis-server here: only others in its place were tried' }
}

async function serveNodes(redisUrl: string, hasWorkers: boolean) {
  await using made = new AsyncDisposableStack()
  const { path: cwd } = made.use(tempFolder())
  const env = { REDIS_URL: redisUrl, TIERS: `anonymous=${LIMIT}/24h`, TRUST_PROXY: '127.0.0.1' }
  const served: Awaited<ReturnType<typeof serveProcess>>[] = []
  for (let node = 0; node < NODES; node++) {
    const args = hasWorkers && node === 1 ? ['--demo', '--workers', '2'] : ['--demo']
    served.push(made.use(await serveProcess(args, { cwd, env })))
  }
  const pids = served.flatMap(({ child }) => [child.pid, ...childrenOf(child.pid)])
  const kept = made.move()
  let callers = 0

  return {
    /** Has a caller who was not seen before ask all nodes at once, more than is allowed. */
    async ask() {
      callers++
      const address = `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`
      const asked = { count: NODES * ASKED, passed: 0, slowest: 0, wrong: [] as string[] }
      await Promise.all(
        served.flatMap(({ url }) =>
          Array.from({ length: ASKED }, async () => {
            const begin = performance.now()
            const fault = await judge(url, address)
            const time = performance.now() - begin
            asked.slowest = Math.max(asked.slowest, time)
            if (fault === '') asked.passed++
            else if (fault !== 'refused') asked.wrong.push(fault)
            if (time > HANG_MILLISECONDS) asked.wrong.push(`an answer came after ${Math.round(time)} ms`)
          }),
        ),
      )
      return asked
    },
    areAlive: () => pids.every(isAlive),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Nothing where the request passed. */
async function judge(url: string, address: string): Promise<string> {
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
    const isRefusal =
      response.status === 429 && code === 'rate_limited' && response.headers.has('Retry-After')
    return isRefusal ? 'refused' : `${response.status} ${code}`
  } catch (error) {
    return String(error)
  }
}
