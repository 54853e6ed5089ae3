import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../test/support/random.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { check, type Scenario } from '../run-scenario.ts'
import { type CommandOptions, countUsage, runCommand, tryToServe } from '../support/command.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const OFFSETS = [-400 * DAY, -31 * DAY, -DAY, -HOUR, -15 * SECOND, 0, 15 * SECOND, HOUR, 3 * DAY, 40 * DAY]

/** The first clock changes: forward past the expiry of the key, then back. */
const FIRST = [3 * DAY, -HOUR]

const WINDOW = 10
const LIMIT = 3
const LATEST_SCORE = 20 * SECOND

export const clockBack: Scenario = {
  name: 'clock-back',
  title: 'the clock of a server set back or forward',
  long: 20,
  short: 2,
  async run(times, fail) {
    using folder = tempFolder()
    const options = { cwd: folder.path, database: join(folder.path, 'people.db') }
    const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text)
    write('clock', '0')
    write('people.jsonl', linesOf(INVENTED.slice(0, 50)))
    await runCommand(['import', 'people.jsonl'], options)
    const env = { TIERS: `anonymous=unlimited, few=${LIMIT}/${WINDOW}s` }
    const createKey = async (...args: string[]) =>
      (await runCommand(['keys', 'create', '--name', 'a', ...args], { ...options, env })).out.trim()
    const expiry = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 10)
    const expiring = await createKey('--expires', expiry, '--tier', 'unlimited')
    const limited = await createKey('--tier', 'few')

    const preload = `--preload=${join(import.meta.dir, '../support/preload/shifted-clock.ts')}`
    await using server = await tryToServe({
      ...options,
      env: { ...env, BUN_OPTIONS: preload, CLOCK: join(folder.path, 'clock') },
      timeout: HOUR,
    })
    let requests = 0
    async function get(path: string, key?: string): Promise<Response> {
      requests++
      const headers: Record<string, string> = key === undefined ? {} : { 'X-API-KEY': key }
      return fetch(`${server.url}/api/v1/${path}`, { headers })
    }

    const random = createRandom(times)
    let offset = 0
    for (let round = 0; round < times; round++) {
      offset = FIRST[round] ?? random.pick(OFFSETS.filter((each) => each !== offset))
      await check(fail, `clock off by ${offset / SECOND} s`, async () => {
        write('clock', String(offset))
        await checkLimit(get, limited)
        const isExpired = Date.now() + offset >= Date.parse(expiry)
        const { status } = await get('passports/7', expiring)
        if (status !== (isExpired ? 401 : 200))
          throw new Error(`a key that expires on ${expiry}: status ${status}`)
        await checkImport(get, options, `Ada ${round}`)
      })
    }
    const { code, err } = await server.stop()
    const counted = await countUsage(options)
    if (code !== 0 || counted !== requests)
      fail(`serve exited with ${code} and counted ${counted} of ${requests} requests: ${err}`)
    return { count: times }
  },
}

type Get = (path: string, key?: string) => Promise<Response>

async function checkLimit(get: Get, key: string): Promise<void> {
  const first = await get('passports/7', key)
  if (first.status !== 200)
    throw new Error(`the limit of an earlier window still applies: status ${first.status}`)
  let last = first
  for (let count = 0; last.status === 200 && count < 3 * LIMIT; count++) last = await get('passports/7', key)
  const wait = Number(last.headers.get('Retry-After'))
  if (last.status !== 429 || wait < 1 || wait > WINDOW)
    throw new Error(`over the limit: status ${last.status}, Retry-After ${wait}`)
}

type Shown = { calculating_score: boolean; passport_profile: { display_name: string } }

/** Imports a record without a score, and waits until the server has calculated the score. */
async function checkImport(get: Get, options: CommandOptions, name: string): Promise<void> {
  const record = { passport_id: 7, passport_profile: { display_name: name } }
  writeFileSync(join(options.cwd, 'news.jsonl'), toLines(record))
  const { code, err } = await runCommand(['import', '--rescore', 'news.jsonl'], options)
  if (code !== 0) throw new Error(`import exited with ${code}: ${err}`)
  for (const last = performance.now() + LATEST_SCORE; performance.now() < last; await Bun.sleep(20)) {
    const { passport } = (await (await get('passports/7')).json()) as { passport: Shown }
    if (passport.passport_profile.display_name === name && !passport.calculating_score) return
  }
  throw new Error(`an imported passport is not visible or not scored after ${LATEST_SCORE / SECOND} s`)
}
