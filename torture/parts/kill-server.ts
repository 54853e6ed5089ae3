import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/ingest/demo/random.ts'
import { databaseMaker } from '../../test/support/engines.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/lines.ts'
import { childrenOf, isAlive, until } from '../../test/support/processes.ts'
import { workplace } from '../../test/support/workplace.ts'
import { createImports } from '../imports.ts'
import {
  answersOf,
  checkFile,
  checkSame,
  everythingIn,
  succeed,
  type Workplace,
  withoutDates,
} from '../kills.ts'
import { createLedger } from '../ledger.ts'
import type { Part } from '../part.ts'
import { startReaders } from '../readers.ts'

const AT_REST = INVENTED.filter(({ stale }) => !stale)
/** Nothing happens to them: answers about them are always the same. */
const STILL = AT_REST.slice(0, 50)
/** With each file they get something to be scored, and newcomers come. */
const MOVING = AT_REST.slice(50, 100)
const NEWCOMERS = AT_REST.slice(100, 110)

const FIRST = linesOf([...STILL, ...MOVING])
const textOf = (number: number) =>
  linesOf(NEWCOMERS, number + 1) +
  toLines(...MOVING.map(({ id }) => ({ passport: id, type: 'github', value: id + number })))
const newcomersOf = (number: number) => NEWCOMERS.map(({ id }) => `passports/${id + (number + 1) * 1000}`)

type Victim = 'server' | 'parent' | 'worker'
const VICTIMS: readonly Victim[] = process.platform === 'linux' ? ['server', 'parent', 'worker'] : ['server']

/** Counts are handed over every ten seconds: a server and a parent live long enough for that. */
const LONG_EVERY = 10
const LONG_MILLISECONDS = 18_000

export const killServer: Part = {
  name: 'kill-server',
  what: 'SIGKILL of a server, or of one of its processes, under load and beside an import',
  long: 20,
  short: 2,
  async run(times, tell) {
    const ledger = createLedger(tell)
    const random = createRandom(24)
    await using here = await workplace(databaseMaker('sqlite'), {
      files: { 'first.jsonl': FIRST },
      bare: true,
    })
    await succeed(here.run('import', 'first.jsonl'))
    const still = new Map(Object.entries(await here.look(answersOf)).filter(([path]) => isStill(path)))
    const imports = createImports(here, textOf)

    let requests = 0
    for (let kill = 0; kill < times; kill++) {
      const victim = VICTIMS[kill % VICTIMS.length] as Victim
      const life = kill % LONG_EVERY === LONG_EVERY - 1 ? LONG_MILLISECONDS : 1500 * random.next()
      await ledger.check(`kill ${kill + 1}, of the ${victim}`, async () => {
        requests += await liveAndDie({ here, imports, still, random, victim, life, tell })
        ledger.count()
      })
    }
    await ledger.check('at the end', async () => {
      await imports.finish()
      const all = FIRST + Array.from({ length: imports.done() }, (_, number) => textOf(number)).join('')
      await using undisturbed = await workplace(databaseMaker('sqlite'), { files: { 'all.jsonl': all } })
      await succeed(undisturbed.run('import', 'all.jsonl'))
      for (const each of [here, undisturbed]) await succeed(each.run('score'))
      checkSame(withoutDates(await everythingIn(here)), withoutDates(await everythingIn(undisturbed)))
    })
    return ledger.outcome(`${requests.toLocaleString('en')} requests and ${imports.done()} imports meanwhile`)
  },
}

const STILL_NAMES = new Set(STILL.flatMap(({ id, mainWallet }) => [`${id}`, mainWallet]))
const isStill = (path: string) =>
  STILL_NAMES.has(path.replace(/^passports\/|^passport_credentials\?passport_id=/, ''))

const OTHERS = ['passports?per_page=100', 'passports?page=2', 'passports?keyword=an', 'passports?keyword=xyz']

/** Counts of usage that are older are kept. It is to be ten seconds; a busy machine takes its time. */
const OLDEST_LOST_MILLISECONDS = 15_000

type Round = {
  here: Workplace
  imports: ReturnType<typeof createImports>
  still: ReadonlyMap<string, string>
  random: Random
  victim: Victim
  life: number
  tell: (line: string) => void
}

/** A server's life, its end, and a look at what is left; gives back how many requests there were. */
async function liveAndDie({ here, imports, still, random, victim, life, tell }: Round): Promise<number> {
  const temporary = join(here.cwd, 'temporary')
  mkdirSync(temporary, { recursive: true })
  const before = await countUsage(here)
  await using server = await here.serve(victim === 'server' ? [] : ['--workers', '2'], {
    TIERS: 'anonymous=unlimited',
    TMPDIR: temporary,
  })
  const workers = childrenOf(server.child.pid)
  const others = [
    ...OTHERS,
    ...Array.from({ length: imports.done() }, (_, number) => newcomersOf(number)).flat(),
  ]
  const readers = startReaders({ url: server.url, random, model: still, others, tell })
  imports.begin()
  await Bun.sleep(life)

  const killedAt = performance.now()
  readers.breaks.from = killedAt
  const killed = victim === 'worker' ? (workers[0] as number) : server.child.pid
  process.kill(killed, 'SIGKILL')
  const stopped = imports.stop(random.chance(0.3))
  if (victim === 'worker') {
    // Its threads end one by one; the last takes its sockets along.
    await until(() => !childrenOf(server.child.pid).includes(killed))
    readers.breaks.to = performance.now()
    await Bun.sleep(300)
  }
  const { asked, wrong, answered } = await readers.stop()
  if (victim === 'worker') server.child.kill('SIGTERM')
  await server.child.exited
  await until(() => !workers.some(isAlive))
  await stopped

  checkFile(here)
  const kept = (await countUsage(here)) - before
  const isKept = ({ began, ended }: (typeof answered)[number]) =>
    ended < killedAt - OLDEST_LOST_MILLISECONDS || began > readers.breaks.to
  const least = answered.filter(isKept).length
  if (kept < least || kept > asked)
    throw new Error(`${kept} requests are counted of ${least} at least, ${asked} at most`)
  const left = readdirSync(temporary)
  if (left.length > 0) throw new Error(`${left.join(', ')} is left behind`)
  if (wrong > 0) throw new Error(`${wrong} answers are wrong`)
  return asked
}

async function countUsage(here: Workplace): Promise<number> {
  const counts = await here.look(({ usage }) => usage.list({ since: '0000-01-01', until: '9999-12-31' }))
  return counts.reduce((sum, { count }) => sum + count, 0)
}
