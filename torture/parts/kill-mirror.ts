import { createRandom } from '../../src/ingest/demo/random.ts'
import { databaseMaker, saveRecords } from '../../test/support/engines.ts'
import { INVENTED } from '../../test/support/lines.ts'
import { workplace } from '../../test/support/workplace.ts'
import {
  answersOf,
  checkFile,
  checkSame,
  countPassports,
  killWithin,
  succeed,
  timeOf,
  type Workplace,
} from '../kills.ts'
import { createLedger } from '../ledger.ts'
import type { Part } from '../part.ts'

const PEOPLE = INVENTED.filter(({ stale }) => !stale).slice(0, 200)

export const killMirror: Part = {
  name: 'kill-mirror',
  what: 'SIGKILL of a mirror at a random moment',
  long: 20,
  short: 1,
  async run(times, tell) {
    const ledger = createLedger(tell)
    const random = createRandom(22)
    const prepare = () => workplace(databaseMaker('sqlite'))
    await using source = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
    await using server = await source.serve([], { TIERS: 'anonymous=unlimited' })
    const mirror = ['mirror', server.url, '--rate', '100000', '--concurrency', '8'] as const
    const copy = (here: Workplace) => succeed(here.run(...mirror))
    let duration = 0
    {
      await using undisturbed = await prepare()
      duration = await timeOf(() => copy(undisturbed))
    }

    let [done, inside] = [0, 0]
    while (done < times) {
      await using here = await prepare()
      let before = 0
      let isOver = false
      while (!isOver && done < times) {
        isOver = !(await killWithin(here.start(...mirror), duration, random))
        if (!isOver) done = ledger.count()
        await ledger.check(`kill ${done}`, async () => {
          checkFile(here)
          const count = await countPassports(here)
          if (count < before) throw new Error(`${count} passports are there of ${before}`)
          if (count < PEOPLE.length) inside++
          before = count
        })
        const changed = random.sample(PEOPLE, 50).map((each) => ({ ...each, connections: done }))
        await source.look((store) => saveRecords(store, changed))
      }
      await ledger.check(`after kill ${done}`, async () => {
        // It ends the walk that was begun; what changed behind its back is seen by the next.
        await copy(here)
        const count = await countPassports(here)
        if (count < PEOPLE.length) throw new Error(`${count} passports were copied of ${PEOPLE.length}`)
        await copy(here)
        const expected = await source.look(answersOf)
        checkSame(await here.look(answersOf), expected)
        checkSame(await here.look(answersOf), expected)
        checkFile(here)
      })
    }
    return ledger.outcome(`${inside} left it half done`)
  },
}
