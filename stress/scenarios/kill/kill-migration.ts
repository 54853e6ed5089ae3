import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { dumpKept, dumpOf, oldPlace } from '../../../test/support/migrations/old-databases.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import { checkFile } from '../../support/database-checks.ts'
import { killWhen, killWithin, succeed, timeOf } from '../../support/kill-process.ts'

export const killMigration: Scenario = {
  name: 'kill-migration',
  title: 'SIGKILL of a migration at a random moment, on each engine',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(23)
    const [sqlite, postgres] = [
      await killMigrations('sqlite', times, fail, random),
      await killMigrations('postgres', times, fail, random),
    ]
    return { count: 2 * times, note: `${sqlite + postgres} migrations ended before the kill` }
  },
}

/** Copies of the passports in the old database, so that a migration takes about a second. */
const COPIES = 30

/** Returns the number of migrations that ended before the kill. */
async function killMigrations(
  engine: EngineName,
  kills: number,
  fail: Fail,
  random: Random,
): Promise<number> {
  const prepare = () => oldPlace(databaseMaker(engine), engine, COPIES)
  await using undisturbed = await prepare()
  const old = await dumpOf(undisturbed.env.DATABASE_URL)
  const duration = await timeOf(() => succeed(undisturbed.run('migrate')))
  const expected = await dumpOf(undisturbed.env.DATABASE_URL)
  let [killed, ended] = [0, 0]
  while (killed < kills) {
    await using sandbox = await prepare()
    const { database, env } = sandbox
    // A migration may be killed several times before one is complete.
    do {
      const child = sandbox.start('migrate')
      const isInExchange = engine === 'sqlite' && random.chance(0.3)
      const isKilled = isInExchange
        ? await killWhen(child, () => hasTwoNames(database))
        : await killWithin(child, duration, random)
      if (isKilled) killed++
      else ended++
    } while (random.chance(0.3))
    await check(fail, `${engine}, kill ${killed}`, async () => {
      await succeed(sandbox.run('migrate'))
      if ((await dumpOf(env.DATABASE_URL)) !== expected) throw new Error('The migrated database differs.')
      if ((await dumpKept(env.DATABASE_URL)) !== old) throw new Error('The kept tables differ.')
      if (engine !== 'sqlite') return
      checkFile(sandbox)
      const files = listFiles(database)
      if (files.length !== 2) throw new Error(`Files are left: ${files.join(', ')}.`)
    })
  }
  return ended
}

const listFiles = (database: string) =>
  readdirSync(dirname(database)).filter((name) => name.startsWith(basename(database)))

/** The moment between the two steps that replace the file. */
const hasTwoNames = (database: string) => listFiles(database).some((name) => name.includes('.before-'))
