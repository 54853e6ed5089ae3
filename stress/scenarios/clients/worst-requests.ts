import { CHANGED, copyWithHistory } from '../../../bench/history.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { until } from '../../../test/support/processes.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { Fail, Scenario } from '../../scenario.ts'
import { attack, CONNECTIONS, type Damage, measureUse, type Target } from '../../support/worst/attack.ts'
import { type WorstRequest, worstRequests } from '../../support/worst/requests.ts'
import { findServerThread } from '../../support/worst/threads.ts'

/** The limits of docs/keys.md in a window of 10 s, by the client. */
const LIMITS = { anonymous: 1000, standard: 5000, page: 300, picture: 3000 }
const WINDOW_MILLISECONDS = 10_000
const SHORT_MILLISECONDS = 2000

/** CPU time of the server thread while another client's /health waits. */
const MOST_CPU_MILLISECONDS = 50
const MOST_MEGABYTES = 400
/** More than the busiest thread uses in a second without clients. */
const MOST_AFTER_MILLISECONDS = 20

/** Each attack has a key of its own. The data set has a key with a lower seed. */
const SEEDS = { first: 10, last: 250 }

export const worst: Scenario = {
  name: 'worst-requests',
  title: 'the worst requests from 900 connections within the limits do not delay others or fill the memory',
  long: 2,
  short: 1,
  async run(times, fail) {
    const isShort = times === 1
    const passports = isShort ? 20_000 : 100_000
    using folder = tempFolder()
    const keys: string[] = []
    const { path, ...given } = await copyWithHistory(passports, folder.path, async (store) => {
      for (let seed = SEEDS.first; seed <= SEEDS.last; seed++) keys.push((await makeKey(store, seed)).key)
    })
    const env = { DATABASE_URL: `sqlite:${path}`, TRUST_PROXY: '127.0.0.1' }
    await using server = await serveProcess(['--workers', '1'], { cwd: folder.path, env })
    void server.child.stderr.pipeTo(new WritableStream())
    await until(async () => (await fetch(`${server.url}/api/v3/passports?filter=human:true`)).ok)
    const { pid } = server.child
    const target = { url: server.url, pid, thread: await findServerThread(server.url, pid) }
    const most = { cpu: 0, memory: 0, after: await measureUse(pid) }
    let count = 0
    for (let round = 0; round < times; round++) {
      for (const request of worstRequests({ passports, changed: CHANGED, ...given })) {
        for (const client of clientsOf(request, isShort)) {
          const headers = `X-Forwarded-For: 198.51.100.${count % 250}\r\n${client === 'standard' ? `X-API-KEY: ${keys[count % keys.length]}\r\n` : ''}`
          const damage = await run(target, request, client, headers, isShort)
          check(`${request.name} (${request.reading}), ${client}`, damage, fail)
          for (const name of ['cpu', 'memory', 'after'] as const)
            most[name] = Math.max(most[name], damage[name])
          count++
        }
      }
    }
    const note = `/health waited for ${Math.round(most.cpu)} ms of CPU at most; ${most.memory} MB; ${Math.round(most.after)} ms of CPU in a second without clients`
    return { count, note }
  },
}

type Client = keyof typeof LIMITS

function clientsOf({ kind }: WorstRequest, isShort: boolean): Client[] {
  if (kind === 'key' || (kind === 'api' && isShort)) return ['standard']
  return kind === 'api' ? ['anonymous', 'standard'] : [kind]
}

const run = (target: Target, worst: WorstRequest, client: Client, headers: string, isShort: boolean) =>
  attack(target, {
    worst,
    headers,
    limit: Math.min(LIMITS[client], isShort ? CONNECTIONS : LIMITS[client]),
    stayMilliseconds: isShort ? SHORT_MILLISECONDS : WINDOW_MILLISECONDS,
    isEndMeasured: !isShort || worst.reading === 'leave',
  })

function check(name: string, { cpu, memory, after, statuses }: Damage, fail: Fail): void {
  const problems = [
    cpu > MOST_CPU_MILLISECONDS && `/health waited for ${Math.round(cpu)} ms of CPU`,
    memory > MOST_MEGABYTES && `${memory} MB of memory`,
    after > MOST_AFTER_MILLISECONDS && `${Math.round(after)} ms of CPU in the second second without clients`,
    statuses['500'] !== undefined && `${statuses['500']} responses with 500`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) fail(`${name}: ${problems.join('; ')}`)
}
