import { createRandom, type Random } from '../../src/ingest/demo/random.ts'
import { databaseMaker, type EngineName } from '../../test/support/engines.ts'
import { INVENTED, linesOf, toLines } from '../../test/support/lines.ts'
import { workplace } from '../../test/support/workplace.ts'
import {
  checkFile,
  checkSame,
  countPassports,
  everythingIn,
  killWithin,
  succeed,
  timeOf,
  type Workplace,
} from '../kills.ts'
import { createLedger, type Ledger } from '../ledger.ts'
import type { Part } from '../part.ts'

/** A file of SQLite is at stake each time; a server that is not killed itself keeps its own. */
const ON_POSTGRES = 1 / 6

export const killImport: Part = {
  name: 'kill-import',
  what: 'SIGKILL of an import at a random moment',
  long: 30,
  short: 2,
  async run(times, tell) {
    const ledger = createLedger(tell)
    const random = createRandom(20)
    const onPostgres = Math.ceil(times * ON_POSTGRES)
    const inside =
      (await killImports('sqlite', times - onPostgres, ledger, random)) +
      (await killImports('postgres', onPostgres, ledger, random))
    return ledger.outcome(`${inside} left it half done; ${onPostgres} on PostgreSQL`)
  },
}

/** How many lines are saved together. */
const BATCH = 500

const PEOPLE = INVENTED.slice(0, BATCH)

/** Each batch is of one kind: people come, change, get facts to be scored, and go. */
const LINES = [
  linesOf(PEOPLE),
  linesOf(PEOPLE, 1),
  linesOf(PEOPLE.map((person) => ({ ...person, connections: person.connections + 1 }))),
  toLines(...PEOPLE.map(({ id }) => ({ passport: id, type: 'github', value: id }))),
  toLines(...PEOPLE.map(({ id }) => ({ passport_id: id + 1000, removed: true }))),
].join('')

/** Gives back how many kills left part of the file outside. */
async function killImports(
  engine: EngineName,
  kills: number,
  ledger: Ledger,
  random: Random,
): Promise<number> {
  const prepare = () => workplace(databaseMaker(engine), { files: { 'many.jsonl': LINES }, bare: true })
  const importAll = (here: Workplace) => succeed(here.run('import', 'many.jsonl'))
  await using undisturbed = await prepare()
  const duration = await timeOf(() => importAll(undisturbed))
  const expected = await everythingIn(undisturbed)

  let inside = 0
  let done = 0
  while (done < kills) {
    await using here = await prepare()
    let isOver = false
    while (!isOver && done < kills) {
      const child = here.start('import', 'many.jsonl')
      isOver = !(await killWithin(child, duration, random))
      if (!isOver) done++
      if (!isOver) ledger.count()
      await ledger.check(`${engine}, kill ${done}`, async () => {
        checkFile(here)
        const count = await countPassports(here)
        if (count % BATCH !== 0) throw new Error(`${count} passports are there: not whole batches`)
        if (!isOver && count > 0) inside++
      })
    }
    await ledger.check(`${engine}, after kill ${done}`, async () => {
      await importAll(here)
      checkSame(await everythingIn(here), expected)
      checkFile(here)
    })
  }
  return inside
}
