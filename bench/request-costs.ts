/**
 * Measures CPU time, memory and charged units of each kind of request, and prints the table of bench/RESULTS.md.
 *
 *   npx bun bench/request-costs.ts [--passports 100000] [--requests 100] [--only TEXT]
 */
import { parseArgs } from 'node:util'
import { busiest, findServerThread, threadTimes } from '../stress/support/worst-requests/thread-times.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { copyWithHistory } from './data-sets/data-set-with-history.ts'
import { KEY_HEADERS } from './support/api-key.ts'
import { describeMachine } from './support/machine.ts'
import { parseCount } from './support/options.ts'
import { type RequestKind, requestKinds } from './support/request-kinds.ts'
import { SERVE, type Server, startServer } from './support/servers.ts'

const { values } = parseArgs({
  options: {
    passports: { type: 'string', default: '100000' },
    requests: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
  },
})
const passports = parseCount('passports', values.passports)
const mostRequests = parseCount('requests', values.requests)

/** The window is a day, so that the remaining units are not reset during a measurement. */
const LIMIT = '1000000/24h'
const TIERS = ['bench', 'anonymous', 'explorer', 'pictures'].map((tier) => `${tier}=${LIMIT}`).join()

const WARM_UP = 10
/** Enough CPU time for two significant digits. */
const MOST_CPU_MILLISECONDS = 400

using folder = tempFolder()
const { path, before } = await copyWithHistory(passports, folder.path)
await using server = await startServer(SERVE, {
  DATABASE_URL: `sqlite:${path}`,
  EXPLORER: 'on',
  TRUST_PROXY: '127.0.0.1',
  TIERS,
})
while ((await send(server, '/api/v3/passports?filter=human:true')).status === 503) await Bun.sleep(100)
const thread = await findServerThread(server.url, server.pid)

console.log(
  `${passports.toLocaleString('en')} passports, one server thread, ${JSON.stringify(describeMachine())}\n`,
)
console.log('| request | CPU, ms | server thread CPU, ms | memory of the response, KB | units |')
console.log('| --- | ---: | ---: | ---: | ---: |')
for (const kind of requestKinds(passports, before)) {
  if (!kind.name.includes(values.only)) continue
  const { all, own, bytes, units } = await measure(kind)
  console.log(`| ${kind.name} | ${digits(all)} | ${digits(own)} | ${digits(bytes / 1000)} | ${units} |`)
}

async function measure(kind: RequestKind) {
  let at = 0
  let last = await request(kind, at++)
  while (at < WARM_UP) last = await request(kind, at++)
  const times = threadTimes(server.pid)
  const used = () => {
    const threads = busiest(server.pid, times)
    const all = threads.reduce((sum, [, cpu]) => sum + cpu, 0)
    return { all, own: threads.find(([each]) => each === thread)?.[1] ?? 0 }
  }
  let count = 0
  let [bytes, units] = [0, 0]
  while (count < mostRequests && used().all < MOST_CPU_MILLISECONDS) {
    const next = await request(kind, at++)
    count++
    bytes = Math.max(bytes, next.bytes)
    units = Math.max(units, (last.remaining ?? 0) - (next.remaining ?? 0))
    last = next
  }
  const { all, own } = used()
  return { all: all / count, own: own / count, bytes, units }
}

async function request(kind: RequestKind, at: number) {
  const { target, init } = kind.make(at)
  const response = await send(server, target, init)
  if (response.status !== (kind.status ?? 200))
    throw new Error(`${kind.name}: ${response.status} ${await response.text()}`)
  const bytes = kind.isStream ? await readFirst(response) : (await response.arrayBuffer()).byteLength
  const [, remaining] = /r=(\d+)/.exec(response.headers.get('RateLimit') ?? '') ?? []
  return { bytes, remaining: remaining === undefined ? undefined : Number(remaining) }
}

function send({ url }: Server, target: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url + target, {
    ...init,
    headers: { ...KEY_HEADERS, 'Accept-Encoding': 'identity', ...init.headers },
  })
}

/** Reads two chunks: the first chunk of a stream is a comment. */
async function readFirst({ body }: Response): Promise<number> {
  let bytes = 0
  let parts = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (++parts === 2) break
  }
  return bytes
}

function digits(value: number): string {
  if (value >= 10) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 1 ? 1 : 2)
}
