import { createRandom } from '../../src/ingest/demo/random.ts'
import { workplace } from '../../test/support/cli-sandbox.ts'
import { databaseMaker, saveRecords } from '../../test/support/store/engines.ts'
import { INVENTED } from '../../test/support/store/json-lines.ts'
import { check, type Scenario } from '../scenario.ts'
import {
  checkFile,
  checkSame,
  countPassports,
  killWithin,
  responsesIn,
  succeed,
  timeOf,
  type Workplace,
} from '../support/random-kill.ts'

const PEOPLE = INVENTED.filter(({ stale }) => !stale).slice(0, 200)

export const killMirror: Scenario = {
  name: 'kill-mirror',
  title: 'SIGKILL of a mirror at a random moment',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(22)
    const prepare = () => workplace(databaseMaker('sqlite'))
    await using source = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
    await using server = await source.serve([], { TIERS: 'anonymous=unlimited' })
    const mirror = ['mirror', server.url, '--rate', '100000', '--concurrency', '8'] as const
    const copy = (here: Workplace) => succeed(here.run(...mirror))
    await using undisturbed = await prepare()
    const duration = await timeOf(() => copy(undisturbed))

    let [done, midway] = [0, 0]
    while (done < times) {
      await using here = await prepare()
      let before = 0
      let isKilled = true
      while (isKilled && done < times) {
        isKilled = await killWithin(here.start(...mirror), duration, random)
        if (isKilled) done++
        await check(fail, `kill ${done}`, async () => {
          checkFile(here)
          const count = await countPassports(here)
          if (count < before) throw new Error(`${count} of ${before} passports are left`)
          if (count < PEOPLE.length) midway++
          before = count
        })
        const changed = random.sample(PEOPLE, 50).map((each) => ({ ...each, connections: done }))
        await source.look((store) => saveRecords(store, changed))
      }
      await check(fail, `after kill ${done}`, async () => {
        // The first run completes the one that was killed; the second sees what changed meanwhile.
        await copy(here)
        const count = await countPassports(here)
        if (count < PEOPLE.length) throw new Error(`${count} of ${PEOPLE.length} passports were copied`)
        await copy(here)
        checkSame(await here.look(responsesIn), await source.look(responsesIn))
        checkFile(here)
      })
    }
    return { count: done, note: `${midway} left it half done` }
  },
}
