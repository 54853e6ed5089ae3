import { connect } from 'node:net'
import { join } from 'node:path'
import { openStore } from '../../../src/core/store/open.ts'
import { serveProcess } from '../../../test/support/cli.ts'
import { makeKey } from '../../../test/support/http/keys.ts'
import { saveRecords } from '../../../test/support/store/engines.ts'
import { ada, dataPoint, record } from '../../../test/support/store/records.ts'
import { adoptRules, DEFAULT_RULES, scoreNow } from '../../../test/support/store/scoring.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Scenario } from '../../run-scenario.ts'
import { measureUse } from '../../support/worst-requests/attack.ts'
import { startCpuProbe } from '../../support/worst-requests/start-cpu-probe.ts'
import { findServerThread, schedstatOf } from '../../support/worst-requests/thread-times.ts'

const PASSPORTS = 60
const CLIENTS = { silent: 8, slow: 20, ordinary: 4 }
const SLOW = { bytes: 4096, milliseconds: 50 }

/** `cpu`: milliseconds that the server thread works while another client's /health waits. */
const MOST = { cpu: 50, memory: 400 }
/** CPU time in a second after the start, when the server is idle. */
const IDLE_MILLISECONDS = 50
const MOST_BYTES = 4_000_000

const ENCODINGS = ['identity', 'gzip', 'zstd']

/** About the largest record that is accepted: each data point has its own line in the explanation, as long as possible. */
const largest = (id: number) =>
  record(id, {
    profile: { ...ada.profile, displayName: '\u20ac'.repeat(900), bio: '\u20ac'.repeat(3200) },
    socials: Array.from(
      { length: 20 },
      () => ({ ...ada.socials[0], bio: 'b'.repeat(9000) }) as (typeof ada.socials)[0],
    ),
    dataPoints: Array.from({ length: 1900 }, (_, at) =>
      dataPoint(`${at % 2 ? at : ''}`.padEnd(20, 'x'), at, `${at}`.padEnd(30, 'a'), '\u20ac'.repeat(15)),
    ),
  })

const KEYS = JSON.stringify({
  keys: Array.from({ length: 1000 }, (_, at) => String(1 + (at % PASSPORTS))),
  include: ['credentials', 'explanation', 'standing'],
})
const LIST = '/api/v3/passports?limit=50&include=credentials,explanation,standing'
const TARGETS = [LIST, '/api/v3/passports?limit=250', '/api/v1/passports?per_page=250', `${LIST}&sort=score`]

export const largestPassports: Scenario = {
  name: 'largest-passports',
  title:
    'reads of the largest passports, with clients that read nothing or slowly, do not delay others or fill the memory',
  long: 400,
  short: 40,
  async run(times, fail, exceed) {
    using folder = tempFolder()
    const database = join(folder.path, 'largest.db')
    const key = await fillDatabase(database)
    await using server = await serveProcess(['--workers', '1'], {
      cwd: folder.path,
      env: { DATABASE_URL: `sqlite:${database}`, TRUST_PROXY: '127.0.0.1' },
    })
    const { pid } = server.child
    // The thread that checks the file for damage ends.
    await until(async () => (await measureUse(pid)) < IDLE_MILLISECONDS)
    const thread = await findServerThread(server.url, pid)
    const probe = await startCpuProbe(server.url, pid, schedstatOf(pid, thread))
    const { hostname, port } = new URL(server.url)
    let address = 0
    const open = (milliseconds?: number) => {
      const body = address % 2 === 0 ? KEYS : ''
      const head = body === '' ? `GET ${TARGETS[address % TARGETS.length]}` : 'POST /api/v3/lookup'
      const type =
        body === ''
          ? ''
          : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nX-API-KEY: ${key}\r\n`
      return readSlowly(
        { hostname, port: Number(port) },
        `${head} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.${address++}\r\n${type}\r\n${body}`,
        milliseconds,
      )
    }
    const sockets = [
      ...Array.from({ length: CLIENTS.silent }, () => open()),
      ...Array.from({ length: CLIENTS.slow }, () => open(SLOW.milliseconds)),
    ]
    let [begun, largestBody, refused] = [0, 0, 0]
    async function sendOrdinary(client: number): Promise<void> {
      while (begun < times) {
        const target = TARGETS[begun++ % TARGETS.length]
        const response = await fetch(`${server.url}${target}`, {
          headers: {
            'X-Forwarded-For': `10.${client}.${begun >> 8}.${begun & 255}`,
            'Accept-Encoding': ENCODINGS[begun % ENCODINGS.length] as string,
          },
        })
        const { byteLength } = await response.arrayBuffer()
        largestBody = Math.max(largestBody, byteLength)
        if (response.status === 503) refused++
        else if (response.status !== 200) fail(`${target}: ${response.status}`)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS.ordinary }, (_, client) => sendOrdinary(client)))
    const { cpu, memory } = await probe.end()
    for (const socket of sockets) socket.destroy()
    if (cpu > MOST.cpu) exceed(`/health waited for ${Math.round(cpu)} ms of CPU; the limit is ${MOST.cpu} ms`)
    if (memory > MOST.memory) exceed(`${memory} MB of memory; the limit is ${MOST.memory} MB`)
    if (largestBody > MOST_BYTES) fail(`a body of ${largestBody} bytes`)
    const note = `/health waited for ${Math.round(cpu)} ms of CPU at most; ${memory} MB; bodies of ${largestBody} bytes; ${refused} times 503`
    return { count: begun, note }
  },
}

/** Returns a key. */
async function fillDatabase(path: string): Promise<string> {
  await using store = await openStore({ engine: 'sqlite', path })
  for (let id = 1; id <= PASSPORTS; id++) await saveRecords(store, [largest(id)])
  await adoptRules({ store, rules: DEFAULT_RULES })
  await scoreNow(store)
  return (await makeKey(store, 1)).key
}

/** Sends a request. Reads a little of the response at each interval, or nothing. */
function readSlowly(to: { hostname: string; port: number }, request: string, milliseconds?: number) {
  const socket = connect({ host: to.hostname, port: to.port, readableHighWaterMark: SLOW.bytes } as never)
  socket
    .on('error', () => undefined)
    .on('data', () => {
      socket.pause()
      if (milliseconds !== undefined) setTimeout(() => socket.resume(), milliseconds)
    })
  if (milliseconds === undefined) socket.pause()
  socket.write(request)
  return socket
}
