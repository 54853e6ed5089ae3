import { expect, test } from 'bun:test'
import { openStore } from '../../../src/store/open.ts'
import { serveProcess } from '../../support/cli.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../support/postgres/postgres.ts'
import { until } from '../../support/processes.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { named, PEOPLE } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Nodes cache list pages: they serve an unchanged list without a database. */
const LIST_PAGE = '/api/v1/passports?per_page=2&page=2'

const TARGETS = [
  '/api/v1/passports/7',
  '/api/v1/passports/900',
  LIST_PAGE,
  '/api/v1/passports?keyword=person%201',
  '/api/v1/passport_credentials?passport_id=7',
]

type Answer = {
  phase: string
  target: string
  status: number
  text: string
  retryAfter: string | null
}

/** Sends requests over two connections, and records the responses. */
function startLoad(url: string, phase: () => string) {
  const answers: Answer[] = []
  let ended = false
  async function ask(first: number) {
    for (let turn = first; !ended; turn++) {
      const target = TARGETS[turn % TARGETS.length] as string
      const begun = phase()
      const response = await fetch(url + target)
      const text = await response.text()
      answers.push({
        // A response belongs to a phase if it starts and ends in it.
        phase: begun === phase() ? begun : 'between',
        target,
        status: response.status,
        text,
        retryAfter: response.headers.get('Retry-After'),
      })
    }
  }
  const running = [0, 2].map(ask)
  return {
    answers,
    async end() {
      ended = true
      await Promise.all(running)
    },
  }
}

test('a node responds correctly while primary and replica stop and start', async () => {
  await using primary = await startPostgres()
  const seed = await openStore({ engine: 'postgres', url: primary.url })
  await saveRecords(seed, [
    ...PEOPLE.map((person) => ({ ...person, stale: false })),
    ...Array.from({ length: 20 }, (_, at) => named(1000 + at, `Person ${at}`)),
  ])
  await seed.close()
  await using replica = await startReplica(primary)
  using folder = tempFolder()
  const env = {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    TIERS: 'anonymous=unlimited',
  }
  await using node = await serveProcess([], { cwd: folder.path, env })

  const right = new Map<string, string>()
  for (const target of TARGETS) right.set(target, await (await fetch(node.url + target)).text())

  const ready = (expected: unknown) =>
    until(
      async () => {
        const response = await fetch(`${node.url}/ready`)
        return Bun.deepEquals(response.status === 200 ? await response.json() : response.status, expected)
      },
      `/ready to be ${JSON.stringify(expected)}`,
    )

  let phase = 'all well'
  const load = startLoad(node.url, () => phase)
  /** Long enough for every connection and target. */
  const carryOn = async () => {
    const count = load.answers.length
    await until(async () => load.answers.length > count + 40, 'more answers')
  }
  const during = async (name: string, change: () => unknown, expected: unknown) => {
    phase = 'between'
    await change()
    // During a change responses may come from either server, and must be correct.
    await ready(expected)
    phase = name
    await carryOn()
  }
  const WELL = { status: 'ready', writes: 'ok', replica: 'ok' }
  const each: [string, PostgresServer, object][] = [
    ['primary', primary, { ...WELL, writes: 'unavailable' }],
    ['replica', replica, { ...WELL, replica: 'unavailable' }],
  ]
  await ready(WELL)
  await carryOn()
  for (const [name, server, expected] of each) {
    await during(`${name} stopped`, () => server.stop(), expected)
    await during(`${name} back`, () => server.start(), WELL)
    await during(`${name} killed`, () => server.kill(), expected)
    await during(`${name} back again`, () => server.start(), WELL)
    await during(`${name} hangs`, () => server.freeze(), expected)
    await during(`${name} goes on`, () => server.thaw(), WELL)
  }
  const calm = load.answers.length
  await during('both stopped', () => Promise.all([replica.stop(), primary.stop()]), 503)
  const late = load.answers.length
  await during('both back', () => Promise.all([primary.start(), replica.start()]), WELL)
  await during('both hang', () => [primary.freeze(), replica.freeze()], 503)
  await during('both go on', () => [primary.thaw(), replica.thaw()], WELL)
  await load.end()

  const { answers } = load
  const wrong = (is: (answer: Answer, at: number) => boolean) =>
    answers.filter(is).map(({ phase, target, status, text }) => ({ phase, target, status, text }))
  expect(wrong(({ status }) => status !== 200 && status !== 503)).toEqual([])
  expect(wrong(({ status, target, text }) => status === 200 && text !== right.get(target))).toEqual([])
  expect(wrong(({ status, retryAfter }) => status === 503 && retryAfter !== '2')).toEqual([])
  expect(wrong(({ status }, at) => status === 503 && at < calm)).toEqual([])
  const statuses = (name: string) => [
    ...new Set(
      answers
        .filter(({ phase, target }) => phase === name && target !== LIST_PAGE)
        .map(({ status }) => status),
    ),
  ]
  expect(late).toBeGreaterThan(calm)
  expect(['both stopped', 'both back', 'both hang', 'both go on'].map(statuses)).toEqual([
    [503],
    [200],
    [503],
    [200],
  ])
})
