import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker } from '../../../test/support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../../test/support/store/json-lines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import {
  checkFile,
  checkSame,
  countUsage,
  everythingIn,
  pathsOf,
  responsesIn,
  type Sandbox,
  withoutDates,
} from '../../support/database-checks.ts'
import { createImportLoop } from '../../support/import-loop.ts'
import { succeed } from '../../support/kill-process.ts'
import { startReaders } from '../../support/kill-server-readers.ts'

const SCORED = INVENTED.filter(({ stale }) => !stale)
/** Imports never change the passports of these people. */
const UNCHANGED = SCORED.slice(0, 50)
/** Each import adds data points to the people of CHANGING, and adds the people of ADDED with new ids. */
const CHANGING = SCORED.slice(50, 100)
const ADDED = SCORED.slice(100, 110)

const FIRST = linesOf([...UNCHANGED, ...CHANGING])
const textOf = (number: number) =>
  linesOf(ADDED, number + 1) +
  toLines(...CHANGING.map(({ id }) => ({ passport: id, type: 'github', value: id + number })))
const addedBy = (number: number) => ADDED.map(({ id }) => `/api/v3/passports/${id + (number + 1) * 1000}`)

/** Every tenth server runs long enough to store usage counts, which are stored every ten seconds. */
const LONG_EVERY = 10
const LONG_MILLISECONDS = 18_000

/** A kill must not lose usage counts older than this. They are stored every ten seconds; the rest is a margin. */
const OLDEST_LOST_MILLISECONDS = 15_000

const OTHERS = ['?limit=100', '?group_by=tag', '?q=an', '?q=xyz'].map((query) => `/api/v3/passports${query}`)

export const killServer: Scenario = {
  name: 'kill-server',
  title: 'SIGKILL of a server under load, during imports',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(24)
    const files = { 'first.jsonl': FIRST }
    await using sandbox = await workplace(databaseMaker('sqlite'), { files, bare: true })
    await succeed(sandbox.run('import', 'first.jsonl'))
    const expected = new Map(
      Object.entries(await sandbox.look(responsesIn)).filter(([path]) => FIXED.has(path)),
    )
    const imports = createImportLoop(sandbox, textOf)

    let requests = 0
    for (let kill = 1; kill <= times; kill++) {
      const life = kill % LONG_EVERY === 0 ? LONG_MILLISECONDS : 1500 * random.next()
      const args = kill % 2 === 0 ? ['--workers', '2'] : []
      await check(fail, `kill ${kill}`, async () => {
        requests += await serveAndKill({ sandbox, imports, expected, random, life, args, fail })
      })
    }
    await check(fail, 'at the end', async () => {
      await imports.finish()
      const all = FIRST + Array.from({ length: imports.done() }, (_, number) => textOf(number)).join('')
      await using undisturbed = await workplace(databaseMaker('sqlite'), { files: { 'all.jsonl': all } })
      await succeed(undisturbed.run('import', 'all.jsonl'))
      for (const each of [sandbox, undisturbed]) await succeed(each.run('score'))
      checkSame(withoutDates(await everythingIn(sandbox)), withoutDates(await everythingIn(undisturbed)))
    })
    return {
      count: times,
      note: `${requests.toLocaleString('en')} requests and ${imports.done()} imports`,
    }
  },
}

const FIXED = new Set(UNCHANGED.flatMap(({ id, mainWallet }) => [id, mainWallet]).flatMap(pathsOf))

type Round = {
  sandbox: Sandbox
  imports: ReturnType<typeof createImportLoop>
  expected: ReadonlyMap<string, string>
  random: Random
  life: number
  args: string[]
  fail: Fail
}

/** Returns the number of requests that were sent. */
async function serveAndKill({
  sandbox,
  imports,
  expected,
  random,
  life,
  args,
  fail,
}: Round): Promise<number> {
  const before = await sandbox.look(countUsage)
  await using server = await sandbox.serve(args, { TIERS: 'anonymous=unlimited' })
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

  checkFile(sandbox)
  const counted = (await sandbox.look(countUsage)) - before
  const least = responseTimes.filter((time) => time < killedAt - OLDEST_LOST_MILLISECONDS).length
  if (counted < least || counted > requests)
    throw new Error(`${counted} requests were counted; expected ${least} to ${requests}`)
  return requests
}
