import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom, type Random } from '../../../test/support/random.ts'
import { databaseMaker, type EngineName } from '../../../test/support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../../test/support/store/json-lines.ts'
import { check, type Fail, type Scenario } from '../../run-scenario.ts'
import {
  checkFile,
  checkSame,
  countPassports,
  everythingIn,
  type Sandbox,
} from '../../support/database-checks.ts'
import { killWithin, succeed, timeOf } from '../../support/kill-process.ts'

/** The share of kills on PostgreSQL. Most are on SQLite, because a killed client cannot damage a PostgreSQL server. */
const ON_POSTGRES = 1 / 6

export const killImport: Scenario = {
  name: 'kill-import',
  title: 'SIGKILL of an import at a random moment',
  long: 30,
  short: 1,
  async run(times, fail) {
    const random = createRandom(20)
    const onPostgres = Math.floor(times * ON_POSTGRES)
    const midway =
      (await killImports('sqlite', times - onPostgres, fail, random)) +
      (await killImports('postgres', onPostgres, fail, random))
    return { count: times, note: `${midway} left a partial import; ${onPostgres} on PostgreSQL` }
  },
}

/** The number of lines that `import` saves in one transaction. */
const BATCH = 500

const PEOPLE = INVENTED.slice(0, BATCH)

/** One batch for each operation: add, change, add data points, remove. */
const LINES = [
  linesOf(PEOPLE),
  linesOf(PEOPLE, 1),
  linesOf(PEOPLE.map((person) => ({ ...person, connections: person.connections + 1 }))),
  toLines(...PEOPLE.map(({ id }) => ({ passport: id, type: 'github', value: id }))),
  toLines(...PEOPLE.map(({ id }) => ({ passport_id: id + 1000, removed: true }))),
].join('')

/** Returns the number of kills that left a partial import. */
async function killImports(engine: EngineName, kills: number, fail: Fail, random: Random): Promise<number> {
  if (kills === 0) return 0
  const prepare = () => workplace(databaseMaker(engine), { files: { 'many.jsonl': LINES }, bare: true })
  const importAll = (sandbox: Sandbox) => succeed(sandbox.run('import', 'many.jsonl'))
  await using undisturbed = await prepare()
  const duration = await timeOf(() => importAll(undisturbed))
  const expected = await everythingIn(undisturbed)

  let midway = 0
  let done = 0
  while (done < kills) {
    await using sandbox = await prepare()
    let isKilled = true
    while (isKilled && done < kills) {
      isKilled = await killWithin(sandbox.start('import', 'many.jsonl'), duration, random)
      if (isKilled) done++
      await check(fail, `${engine}, kill ${done}`, async () => {
        checkFile(sandbox)
        const count = await countPassports(sandbox)
        if (count % BATCH !== 0)
          throw new Error(`${count} passports were saved, which is not a multiple of ${BATCH}`)
        if (isKilled && count > 0) midway++
      })
    }
    await check(fail, `${engine}, after kill ${done}`, async () => {
      await importAll(sandbox)
      checkSame(await everythingIn(sandbox), expected)
      checkFile(sandbox)
    })
  }
  return midway
}
