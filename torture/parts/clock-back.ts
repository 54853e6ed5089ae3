import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/lines.ts'
import { until } from '../../test/support/processes.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { countUsage, runCommand, tryToServe } from '../command.ts'
import type { Part } from '../part.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const OFFS = [-400 * DAY, -31 * DAY, -DAY, -HOUR, -15 * SECOND, 0, 15 * SECOND, HOUR, 3 * DAY, 40 * DAY]

/** Past the end of the key, and back: also where it is done twice only. */
const FIRST = [3 * DAY, -HOUR]

const WINDOW = 10
const LIMIT = 3

/** When the server's clock says that it is, by what it answers. */
const timeOf = (answer: Response) => Date.parse(answer.headers.get('Date') ?? '')

export const clockBack: Part = {
  name: 'clock-back',
  what: 'the clock set back or forward under a server',
  long: 20,
  short: 2,
  async run(times, tell) {
    using folder = tempFolder()
    const place = { cwd: folder.path, database: join(folder.path, 'people.db') }
    const clock = join(folder.path, 'clock')
    const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text)
    write('clock', '0')
    write('people.jsonl', linesOf(INVENTED.slice(0, 50)))
    await runCommand(['import', 'people.jsonl'], place)
    const env = { TIERS: `anonymous=unlimited, few=${LIMIT}/${WINDOW}s` }
    const makeKey = async (...options: string[]) =>
      (await runCommand(['keys', 'create', '--name', 'a', ...options], { ...place, env })).out.trim()
    const end = new Date(Date.now() + 2 * DAY).toISOString().slice(0, 10)
    const expiring = await makeKey('--expires', end, '--tier', 'unlimited')
    const limited = await makeKey('--tier', 'few')

    const preload = { BUN_OPTIONS: `--preload=${join(import.meta.dir, '../clock.ts')}`, CLOCK: clock }
    await using server = await tryToServe({ ...place, env: { ...env, ...preload }, patience: 3600 * SECOND })
    const url = server.url as string
    let requests = 0
    async function ask(path: string, key?: string): Promise<Response> {
      requests++
      return fetch(`${url}/api/v1/${path}`, { headers: key === undefined ? {} : { 'X-API-KEY': key } })
    }

    /** What is wrong after the clock was set; nothing where all is right. */
    async function look(off: number, turn: number): Promise<string | undefined> {
      write('clock', String(off))
      const isSet = async () => Math.abs(timeOf(await fetch(`${url}/health`)) - Date.now() - off) < 5 * SECOND
      await until(isSet)

      const first = await ask('passports/7', limited)
      if (first.status !== 200) return `a limit of the window before is still in force: ${first.status}`
      let refused = first
      for (let count = 0; refused.status === 200 && count < 3 * LIMIT; count++)
        refused = await ask('passports/7', limited)
      const wait = Number(refused.headers.get('Retry-After'))
      if (refused.status !== 429 || wait < 1 || wait > WINDOW)
        return `a limit is answered ${refused.status}, to be tried again in ${wait} s`

      const isOver = Date.now() + off >= Date.parse(end)
      const { status } = await ask('passports/7', expiring)
      if (status !== (isOver ? 401 : 200)) return `a key that expires ${end} is answered ${status}`

      // Without a score of its own it has to be worked out.
      write('news.jsonl', toLines({ passport_id: 7, passport_profile: { display_name: `Ada ${turn}` } }))
      const { code, err } = await runCommand(['import', '--rescore', 'news.jsonl'], place)
      if (code !== 0) return `import ended with ${code}: ${err}`
      for (const last = performance.now() + 20 * SECOND; performance.now() < last; await Bun.sleep(20)) {
        const { passport } = (await (await ask('passports/7')).json()) as { passport: Shown }
        if (passport.passport_profile.display_name === `Ada ${turn}` && !passport.calculating_score)
          return undefined
      }
      return 'what was imported is not answered, or waits for its score'
    }

    const random = createRandom(times)
    let lost = 0
    let before = 0
    for (let turn = 0; turn < times; turn++) {
      const off = FIRST[turn] ?? random.pick(OFFS.filter((each) => each !== before))
      before = off
      const wrong = await look(off, turn)
      if (wrong === undefined) continue
      lost++
      tell(`${off / SECOND} s off: ${wrong}`)
    }
    const { code, err } = await server.end()
    const counted = await countUsage(place)
    if (code !== 0 || counted !== requests) {
      lost++
      tell(`it ended with ${code}, and of ${requests} requests ${counted} are counted: ${err}`)
    }
    return { count: times, lost }
  },
}

type Shown = { calculating_score: boolean; passport_profile: { display_name: string } }
