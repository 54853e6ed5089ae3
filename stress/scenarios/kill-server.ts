import { createRandom, type Random } from '../../src/ingest/demo/random.ts'
import { workplace } from '../../test/support/cli-sandbox.ts'
import { databaseMaker } from '../../test/support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/store/json-lines.ts'
import { check, type Fail, type Scenario } from '../scenario.ts'
import { startReaders } from '../support/clients.ts'
import { createImports } from '../support/imports.ts'
import {
  checkFile,
  checkSame,
  countUsage,
  everythingIn,
  responsesIn,
  succeed,
  type Workplace,
  withoutDates,
} from '../support/random-kill.ts'

const SCORED = INVENTED.filter(({ stale }) => !stale)
/** Their responses never change. */
const UNCHANGED = SCORED.slice(0, 50)
/** With each file these get something to be scored, and new ones are added. */
const CHANGING = SCORED.slice(50, 100)
const ADDED = SCORED.slice(100, 110)

const FIRST = linesOf([...UNCHANGED, ...CHANGING])
const textOf = (number: number) =>
  linesOf(ADDED, number + 1) +
  toLines(...CHANGING.map(({ id }) => ({ passport: id, type: 'github', value: id + number })))
const addedBy = (number: number) => ADDED.map(({ id }) => `passports/${id + (number + 1) * 1000}`)

/** Usage is stored every ten seconds: some servers live long enough for that. */
const LONG_EVERY = 10
const LONG_MILLISECONDS = 18_000

/** Counts that are older are stored; it takes ten seconds, and longer on a busy machine. */
const OLDEST_LOST_MILLISECONDS = 15_000

const OTHERS = ['passports?per_page=100', 'passports?page=2', 'passports?keyword=an', 'passports?keyword=xyz']

export const killServer: Scenario = {
  name: 'kill-server',
  title: 'SIGKILL of a server under load and beside an import',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(24)
    const files = { 'first.jsonl': FIRST }
    await using here = await workplace(databaseMaker('sqlite'), { files, bare: true })
    await succeed(here.run('import', 'first.jsonl'))
    const expected = new Map(Object.entries(await here.look(responsesIn)).filter(([path]) => isFixed(path)))
    const imports = createImports(here, textOf)

    let requests = 0
    for (let kill = 1; kill <= times; kill++) {
      const life = kill % LONG_EVERY === 0 ? LONG_MILLISECONDS : 1500 * random.next()
      const args = kill % 2 === 0 ? ['--workers', '2'] : []
      await check(fail, `kill ${kill}`, async () => {
        requests += await serveAndKill({ here, imports, expected, random, life, args, fail })
      })
    }
    await check(fail, 'at the end', async () => {
      await imports.finish()
      const all = FIRST + Array.from({ length: imports.done() }, (_, number) => textOf(number)).join('')
      await using undisturbed = await workplace(databaseMaker('sqlite'), { files: { 'all.jsonl': all } })
      await succeed(undisturbed.run('import', 'all.jsonl'))
      for (const each of [here, undisturbed]) await succeed(each.run('score'))
      checkSame(withoutDates(await everythingIn(here)), withoutDates(await everythingIn(undisturbed)))
    })
    return {
      count: times,
      note: `${requests.toLocaleString('en')} requests and ${imports.done()} imports meanwhile`,
    }
  },
}

const FIXED = new Set(UNCHANGED.flatMap(({ id, mainWallet }) => [`${id}`, mainWallet]))
const isFixed = (path: string) =>
  FIXED.has(path.replace(/^passports\/|^passport_credentials\?passport_id=/, ''))

type Round = {
  here: Workplace
  imports: ReturnType<typeof createImports>
  expected: ReadonlyMap<string, string>
  random: Random
  life: number
  args: string[]
  fail: Fail
}

/** Returns how many requests were sent. */
async function serveAndKill({ here, imports, expected, random, life, args, fail }: Round): Promise<number> {
  const before = await here.look(countUsage)
  await using server = await here.serve(args, { TIERS: 'anonymous=unlimited' })
  const added = Array.from({ length: imports.done() }, (_, number) => addedBy(number)).flat()
  const readers = startReaders({ url: server.url, random, expected, others: [...OTHERS, ...added], fail })
  imports.start()
  await Bun.sleep(life)

  readers.expectKill()
  const killedAt = performance.now()
  server.child.kill('SIGKILL')
  const { requests, responseTimes } = await readers.stop()
  await server.child.exited
  await imports.stop({ kill: random.chance(0.3) })

  checkFile(here)
  const counted = (await here.look(countUsage)) - before
  const least = responseTimes.filter((time) => time < killedAt - OLDEST_LOST_MILLISECONDS).length
  if (counted < least || counted > requests)
    throw new Error(`${counted} requests were counted; expected ${least} to ${requests}`)
  return requests
}
