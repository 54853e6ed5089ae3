import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { socketsOf } from '../../test/support/process-info.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import { check, type Scenario } from '../run-scenario.ts'
import { tryToServe } from '../support/command.ts'
import { demoArgs } from '../support/demo-args.ts'
import { sendRequests } from '../support/send-requests.ts'

const TARGETS = ['/api/v1/passports/1', '/api/v1/passports?keyword=an', '/api/v1/passports?page=2', '/']
const isSearch = (target: string) => target.includes('keyword')
const CLIENTS = 8
const WORKERS = 2
const THREADS = ['server-thread', 'index-thread', 'writer-thread'] as const

export const threadCrash: Scenario = {
  name: 'thread-crash',
  title: 'a thread that throws under load is restarted; requests succeed when repeated once, 100 ms later',
  long: 21,
  short: 3,
  async run(times, fail) {
    using folder = tempFolder()
    const crash = join(folder.path, 'crash')
    const preload = `--preload=${join(import.meta.dir, '../support/preload/thread-crash.ts')}`
    const options = { cwd: folder.path, database: join(folder.path, 'people.db'), timeout: 3_600_000 }
    const env = { BUN_OPTIONS: preload, CRASH: crash, TIERS: 'anonymous=unlimited, explorer=unlimited' }
    const demo = await demoArgs(options.database, times <= THREADS.length)
    await using server = await tryToServe({ ...options, env }, [...demo, '--workers', `${WORKERS}`])
    const { child, url = '' } = server
    const port = Number(new URL(url).port)
    const end = new AbortController()
    let [requests, repeated] = [0, 0]

    async function send(keepalive: boolean): Promise<void> {
      let failed: string | undefined
      await sendRequests({
        url,
        next: () => ({ target: failed ?? (TARGETS[requests % TARGETS.length] as string) }),
        onExchange(exchange) {
          requests++
          const { target } = exchange
          const status = 'error' in exchange ? exchange.error.message : exchange.response.status
          if (status === 200) failed = undefined
          // A list responds with 503 if the index thread needs too long.
          else if (failed === undefined && ('error' in exchange || (status === 503 && isSearch(target)))) {
            failed = target
            repeated++
          } else fail(`${target}: ${status}`)
        },
        keepalive,
        signal: end.signal,
      })
    }

    const sending = Array.from({ length: CLIENTS }, (_, at) => send(at % 2 === 0))
    for (let time = 0; time < times; time++) {
      const thread = THREADS[time % THREADS.length] as string
      await check(fail, `crash ${time + 1} of the ${thread}`, async () => {
        const restarts = () => server.log().split(`The ${thread} ended; restarting it`).length
        const before = restarts()
        writeFileSync(crash, thread)
        await Bun.sleep(Math.random() * 200)
        child.kill('SIGUSR2')
        await until(() => restarts() > before)
        await until(() => socketsOf([child.pid], port, 'LISTEN').get(child.pid) === WORKERS)
        await until(async () => (await fetch(`${url}/api/v1/passports?keyword=an&per_page=${1 + time}`)).ok)
      })
    }
    end.abort()
    await Promise.all(sending)
    const { code } = await server.stop()
    if (code !== 0) fail(`serve exited with ${code}`)
    return { count: times, note: `${repeated} of ${requests.toLocaleString('en')} requests repeated` }
  },
}
