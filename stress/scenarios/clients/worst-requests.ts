import { CHANGED, copyWithHistory } from '../../../bench/data-sets/data-set-with-history.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { saveRecords } from '../../../test/support/store/engines.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Scenario } from '../../run-scenario.ts'
import { attack, CONNECTIONS, type Damage, measureUse } from '../../support/worst-requests/attack.ts'
import { findServerThread } from '../../support/worst-requests/thread-times.ts'
import {
  peopleWithRepetitiveNames,
  type WorstRequest,
  worstRequests,
} from '../../support/worst-requests/worst-requests.ts'

/** The limits of docs/keys.md per window of 10 s, for each kind of client. */
const LIMITS = { anonymous: 1000, standard: 5000, page: 300, picture: 3000 }
const WINDOW_MILLISECONDS = 10_000
const SHORT_MILLISECONDS = 1000

/**
 * The accepted maximum. `cpu`: milliseconds that the server thread works while another client's /health waits. `after`:
 * milliseconds that the busiest thread works in a second without clients.
 */
const MOST = { cpu: 50, memory: 400, after: 20 }

/** The number of repetitions in the long form, which sends every kind of request. */
const KINDS = 45

/** The short form sends only the requests that delayed other clients most. */
const SHORT =
  /^(520 short|malformed body|body of|lookup of 1,000 keys with all parts$|lookup of 1,000 times|list of 50|list with group_by|V1 keyword, rep|explorer search$|card as PNG)/

/** Attacks are repeated: other programs sometimes slow the thread down, but a bad request does so in every attempt. */
const ATTEMPTS = 3

/** Each attack uses another key. The key of the data set has a lower seed. */
const SEEDS = { first: 10, last: 250 }

export const worst: Scenario = {
  name: 'worst-requests',
  title: 'the worst requests from 900 connections within the limits do not delay others or fill the memory',
  long: KINDS,
  short: 10,
  async run(times, fail, exceed) {
    const isShort = times < KINDS
    const passports = isShort ? 20_000 : 100_000
    using folder = tempFolder()
    const keys: string[] = []
    const { path, ...given } = await copyWithHistory(passports, folder.path, async (store) => {
      await saveRecords(store, peopleWithRepetitiveNames(2 * passports))
      for (let seed = SEEDS.first; seed <= SEEDS.last; seed++) keys.push((await makeKey(store, seed)).key)
    })
    const env = { DATABASE_URL: `sqlite:${path}`, TRUST_PROXY: '127.0.0.1' }
    await using server = await serveProcess(['--workers', '1'], { cwd: folder.path, env })
    void server.child.stderr.pipeTo(new WritableStream())
    await until(async () => (await fetch(`${server.url}/api/v3/passports?filter=human:true`)).ok)
    const { pid } = server.child
    const target = { url: server.url, pid, thread: await findServerThread(server.url, pid) }
    const seen = { cpu: 0, memory: 0, after: await measureUse(pid) }
    let count = 0
    const attackOnce = (request: WorstRequest, client: Client) => {
      const key = client === 'standard' ? `X-API-KEY: ${keys[count % keys.length]}\r\n` : ''
      const headers = `X-Forwarded-For: 198.51.${count >> 8}.${count & 255}\r\n${key}`
      count++
      return attack(target, { worst: request, headers, ...formOf(request, client, isShort) })
    }
    for (const request of worstRequests({ passports, changed: CHANGED, ...given })) {
      if (isShort && !SHORT.test(request.name)) continue
      for (const client of clientsOf(request, isShort)) {
        const damage = await attackUntilGood(() => attackOnce(request, client), isShort ? 1 : ATTEMPTS)
        const attackName = `${request.name} (${request.reading}), ${client}`
        const excesses = excessesOf(damage)
        if (excesses.length > 0) exceed(`${attackName}: ${excesses.join('; ')}`)
        const failed = damage.statuses['500']
        if (failed !== undefined) fail(`${attackName}: ${failed} responses with 500`)
        for (const name of ['cpu', 'memory', 'after'] as const)
          seen[name] = Math.max(seen[name], damage[name])
      }
    }
    const note = `/health waited for ${Math.round(seen.cpu)} ms of CPU at most; ${seen.memory} MB; ${Math.round(seen.after)} ms of CPU in a second without clients`
    return { count, note }
  },
}

type Client = keyof typeof LIMITS

function clientsOf({ kind }: WorstRequest, isShort: boolean): Client[] {
  if (kind === 'key' || (kind === 'api' && isShort)) return ['standard']
  return kind === 'api' ? ['anonymous', 'standard'] : [kind]
}

/** In the short form, an attack sends at most 900 requests. */
const formOf = ({ reading, units = 1 }: WorstRequest, client: Client, isShort: boolean) => ({
  limit: Math.min(Math.floor(LIMITS[client] / units), isShort ? CONNECTIONS : LIMITS[client]),
  stayMilliseconds: isShort ? SHORT_MILLISECONDS : WINDOW_MILLISECONDS,
  isEndMeasured: !isShort || reading === 'leave',
})

async function attackUntilGood(attackOnce: () => Promise<Damage>, attempts: number): Promise<Damage> {
  for (let attempt = 1; ; attempt++) {
    const damage = await attackOnce()
    if (attempt === attempts || excessesOf(damage).length === 0) return damage
  }
}

function excessesOf({ cpu, at, memory, after }: Damage): string[] {
  return [
    cpu > MOST.cpu && `/health waited for ${Math.round(cpu)} ms of CPU, ${Math.round(at)} ms after the start`,
    memory > MOST.memory && `${memory} MB of memory`,
    after > MOST.after && `${Math.round(after)} ms of CPU in the second second without clients`,
  ].filter((excess) => excess !== false)
}
