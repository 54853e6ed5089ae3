import { expect, test } from 'bun:test'
import { serveProcess, takePort } from '../support/cli.ts'
import { retryOnce, startLoad } from '../support/http/load.ts'
import { parseExposition } from '../support/http/prometheus.ts'
import { readProblems, until } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ANSWERED = 'passportd_requests_total{route="passport",status="200",tier="anonymous"}'

async function freePort(): Promise<string> {
  await using taken = takePort()
  return `${taken.port}`
}

test.skipIf(process.platform !== 'linux')(
  'a second process serves on the same ports, and clients that retry see no failure when the first one stops',
  async () => {
    using folder = tempFolder()
    const env = { TIERS: 'anonymous=unlimited', PORT: await freePort(), METRICS_PORT: await freePort() }
    const serve = () => serveProcess(['--demo', '--workers', '2'], { cwd: folder.path, env })
    await using first = await serve()
    async function send(): Promise<number> {
      const response = await fetch(`${first.url}/api/v1/passports/42`, { keepalive: false })
      await response.text()
      return response.status
    }
    const load = startLoad(retryOnce(send))
    await using _second = await serve()
    /** Start times of the processes that served requests. */
    const starts = new Set<number | undefined>()
    await until(async () => {
      const response = await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`, { keepalive: false })
      const { value } = parseExposition(await response.text())
      if (value(ANSWERED)) starts.add(value('process_start_time_seconds'))
      return starts.size === 2
    })
    first.child.kill('SIGTERM')
    expect(await first.child.exited).toBe(0)
    const before = load.sent()
    await until(() => load.sent() > before + 100)
    expect(await load.end()).toEqual([])
    expect(await readProblems(first.child.stderr)).toBe('')
  },
)
