import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testDatabase } from '../../test/support/postgres/postgres.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { check, type Fail, type Scenario } from '../run-scenario.ts'
import { type CommandOptions, runCommand, tryToServe } from '../support/command.ts'
import { statusOf } from '../support/process-status.ts'
import { startProbe } from '../support/start-health-probe.ts'

const SHORT = 16
const PEOPLE = 250
const MAX_PAGE_BYTES = 8_000_000
const MAX_MEMORY_MEGABYTES = 700
const AT_ONCE = 8
const ENCODINGS = ['identity', 'gzip', 'zstd']

/** On an idle machine, /health takes about 10 ms; here the client uses the CPU, too. */
const LONGEST_HEALTH_MILLISECONDS = 300

/** A record of 3.8 MB, although no text or list in it exceeds its own limit. */
const hostile = (id: number) => ({
  passport_id: id,
  passport_profile: { tags: Array.from({ length: 2000 }, (_, at) => `${at}`.padEnd(1904, 'x')) },
})

/** A record close to the largest accepted size. */
const large = (id: number) => ({
  passport_id: id,
  score: id,
  passport_profile: {
    display_name: `Person ${id} `.padEnd(999, '\u00e9'),
    bio: 'b'.repeat(9900),
    location: 'l'.repeat(900),
    tags: Array.from({ length: 5 }, (_, at) => `${at}`.padEnd(1100, 't')),
  },
  verified_wallets: Array.from({ length: 170 }, (_, at) => `0x${`${id * 1000 + at}`.padStart(40, '0')}`),
})

const linesOf = (make: (id: number) => object, count: number) =>
  Array.from({ length: count }, (_, id) => `${JSON.stringify(make(id + 1))}\n`).join('')

export const largeRecords: Scenario = {
  name: 'large-records',
  title: 'pages of 250 of the largest accepted records, after an import of larger ones',
  long: 200,
  short: SHORT,
  async run(times, fail, exceed) {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'hostile.jsonl'), linesOf(hostile, 5))
    writeFileSync(join(folder.path, 'large.jsonl'), linesOf(large, PEOPLE))
    const options = { cwd: folder.path, database: join(folder.path, 'people.db') }
    const notes = [await getPages(options, times, fail, exceed)]
    if (times > SHORT) {
      await using postgres = await testDatabase()
      const note = await getPages({ ...options, env: { DATABASE_URL: postgres.url } }, times, fail, exceed)
      notes.push(`PostgreSQL: ${note}`)
    }
    return { count: times, note: notes.join('; ') }
  },
}

async function getPages(options: CommandOptions, times: number, fail: Fail, exceed: Fail): Promise<string> {
  const refused = await runCommand(['import', 'hostile.jsonl'], options)
  if (refused.code !== 1 || !refused.err.includes('5 lines were refused'))
    fail(`hostile records: ${refused.err}`)
  const accepted = await runCommand(['import', 'large.jsonl'], options)
  if (accepted.code !== 0) fail(`large records: ${accepted.err}`)
  await using server = await tryToServe(options)
  let largest = 0
  async function getPage(at: number, encoding: string): Promise<void> {
    const query = at % 2 === 0 ? '' : '&keyword=person'
    const response = await fetch(`${server.url}/api/v1/passports?per_page=${PEOPLE - (at % 8)}${query}`, {
      headers: { 'Accept-Encoding': encoding },
    })
    const { byteLength } = await response.arrayBuffer()
    largest = Math.max(largest, byteLength)
    if (response.status !== 200 || byteLength > MAX_PAGE_BYTES)
      fail(`status ${response.status} with ${byteLength} bytes`)
  }
  const slowest: string[] = []
  for (const encoding of ENCODINGS) {
    const probe = await startProbe(server.url ?? '')
    for (let at = 0; at < AT_ONCE; at++) await check(fail, encoding, () => getPage(at, encoding))
    const milliseconds = await probe.end()
    slowest.push(`${encoding} ${milliseconds} ms`)
    if (milliseconds > LONGEST_HEALTH_MILLISECONDS)
      exceed(`/health took ${milliseconds} ms during ${encoding} pages`)
  }
  for (let count = 0; count < times; count += AT_ONCE)
    await check(fail, 'pages', () =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, at) => getPage(count + at, pick(count + at)))),
    )
  const { mostMemory: memory } = statusOf(server.child.pid)
  if (memory > MAX_MEMORY_MEGABYTES) exceed(`${memory} MB of memory`)
  await server.stop()
  return `pages of up to ${largest.toLocaleString('en')} bytes, ${memory} MB, /health took at most: ${slowest.join(', ')}`
}

const pick = (at: number) => ENCODINGS[at % ENCODINGS.length] as string
