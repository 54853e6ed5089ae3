import { join } from 'node:path'
import { serveProcess } from '../../test/support/cli.ts'
import { readProblems } from '../../test/support/log-lines.ts'
import { findPort } from '../../test/support/postgres/postgres-process.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Fail, Result, Scenario } from '../run-scenario.ts'
import { demoArgs } from '../support/demo-args.ts'
import { sendRequests } from '../support/send-requests.ts'

const TARGETS = ['/api/v3/passports/1', '/api/v3/passports?q=an', '/api/v3/passports', '/']

/** A server that starts while another one uses the port writes this warning. */
const EXPECTED_WARNING = 'Another process listens on this port'

/** The kernel setting is changed in a new network namespace only, not on the machine. */
const SETTING = '/proc/sys/net/ipv4/tcp_migrate_req'
const namespace = (value: 0 | 1) => [
  ...(process.getuid?.() === 0 ? ['unshare', '-n'] : ['unshare', '-rn']),
  'sh',
  '-c',
  `ip link set lo up && echo ${value} > ${SETTING} && exec "$@"`,
  'sh',
]
const canMigrate =
  process.platform === 'linux' && Bun.which('unshare') !== null && Bun.which('ip') !== null
    ? Bun.spawnSync([...namespace(1), 'true']).exitCode === 0
    : false

export const newRelease: Scenario = {
  name: 'new-release',
  title: 'a new process on the same port before SIGTERM to the old one, under load',
  long: 20,
  short: 2,
  async run(times, fail) {
    if (!canMigrate) return replaceServers(times, false, fail)
    const half = Math.ceil(times / 2)
    const without = await runInNamespace(half, 0, fail)
    const migrating = await runInNamespace(times - half, 1, fail)
    return {
      count: without.count + migrating.count,
      note: `${without.note}; with tcp_migrate_req=1 ${migrating.note}`,
    }
  },
}

type Report = { result: Result; failures: string[] }

async function runInNamespace(times: number, value: 0 | 1, fail: Fail): Promise<Result> {
  if (times === 0) return { count: 0, note: 'none' }
  const command = [...namespace(value), process.execPath, import.meta.path, `${times}`, `${value}`]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const { result, failures } = JSON.parse(await new Response(child.stdout).text()) as Report
  for (const failure of failures) fail(`tcp_migrate_req=${value}: ${failure}`)
  return result
}

/** A failed request must succeed when it is repeated once. With the kernel setting, no request fails. */
async function replaceServers(times: number, isMigrating: boolean, fail: Fail): Promise<Result> {
  using folder = tempFolder()
  const port = await findPort()
  const path = join(folder.path, 'people.db')
  const env = {
    PORT: String(port),
    DATABASE_URL: `sqlite:${path}`,
    TIERS: 'anonymous=unlimited, explorer=unlimited',
  }
  const args = [...(await demoArgs(path, times === 1)), '--workers', '2']
  const start = () => serveProcess(args, { cwd: folder.path, env })
  let current = await start()
  const end = new AbortController()
  let [requests, repeated] = [0, 0]

  async function send(keepalive: boolean): Promise<void> {
    let failed: string | undefined
    await sendRequests({
      url: current.url,
      next: () => ({ target: failed ?? (TARGETS[requests % TARGETS.length] as string) }),
      onExchange(exchange) {
        requests++
        const { target } = exchange
        if (!('error' in exchange)) {
          failed = undefined
          if (exchange.response.status !== 200) fail(`${target}: ${exchange.text}`)
          return
        }
        const { code, message } = exchange.error
        if (failed !== undefined) fail(`${target}, repeated: ${code} ${message}`)
        else if (isMigrating) fail(`${target}: ${code} ${message}`)
        failed = failed === undefined ? target : undefined
        repeated++
      },
      keepalive,
      signal: end.signal,
    })
  }

  const sending = Array.from({ length: times > 1 ? 12 : 4 }, (_, at) => send(at % 2 === 0))
  for (let time = 0; time < times; time++) {
    const next = await start()
    current.child.kill('SIGTERM')
    const code = await current.child.exited
    const log = (await readProblems(current.child.stderr)).split('\n')
    const problems = log.filter((line) => !line.includes(EXPECTED_WARNING)).join('\n')
    if (code !== 0 || problems !== '') fail(`the old server exited with ${code}: ${problems}`)
    current = next
  }
  end.abort()
  await Promise.all(sending)
  await current[Symbol.asyncDispose]()
  return { count: times, note: `${repeated} of ${requests.toLocaleString('en')} requests repeated` }
}

if (import.meta.main) {
  const [times, value] = process.argv.slice(2).map(Number)
  const failures: string[] = []
  const result = await replaceServers(times ?? 1, value === 1, (failure) => failures.push(failure))
  console.log(JSON.stringify({ result, failures } satisfies Report))
  process.exit(0)
}
