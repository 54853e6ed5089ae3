import { workplace } from '../../../test/support/cli-sandbox.ts'
import { createRandom } from '../../../test/support/random.ts'
import { databaseMaker, saveRecords } from '../../../test/support/store/engines.ts'
import { INVENTED } from '../../../test/support/store/json-lines.ts'
import { check, type Scenario } from '../../run-scenario.ts'
import {
  checkFile,
  checkSame,
  countPassports,
  responsesIn,
  type Sandbox,
} from '../../support/database-checks.ts'
import { killWithin, succeed, timeOf } from '../../support/kill-process.ts'

const PEOPLE = INVENTED.filter(({ stale }) => !stale)

export const killMirror: Scenario = {
  name: 'kill-mirror',
  title: 'SIGKILL of a mirror at a random moment',
  long: 20,
  short: 1,
  async run(times, fail) {
    const random = createRandom(22)
    const people = PEOPLE.slice(0, times > 1 ? 200 : 60)
    const prepare = () => workplace(databaseMaker('sqlite'))
    await using source = await workplace(databaseMaker('sqlite'), { records: people })
    await using server = await source.serve([], { TIERS: 'anonymous=unlimited' })
    const mirror = ['mirror', server.url, '--rate', '100000', '--concurrency', '8'] as const
    const copy = (sandbox: Sandbox) => succeed(sandbox.run(...mirror))
    await using undisturbed = await prepare()
    const duration = await timeOf(() => copy(undisturbed))

    let [done, midway] = [0, 0]
    while (done < times) {
      await using sandbox = await prepare()
      let before = 0
      let isKilled = true
      while (isKilled && done < times) {
        isKilled = await killWithin(sandbox.start(...mirror), duration, random)
        if (isKilled) done++
        await check(fail, `kill ${done}`, async () => {
          checkFile(sandbox)
          const count = await countPassports(sandbox)
          if (count < before) throw new Error(`${count} of ${before} passports remain`)
          if (count < people.length) midway++
          before = count
        })
        const changed = random.sample(people, 50).map((each) => ({ ...each, connections: done }))
        await source.look((store) => saveRecords(store, changed))
      }
      await check(fail, `after kill ${done}`, async () => {
        // The first run resumes the killed one. The second run copies the changes that were made meanwhile.
        await copy(sandbox)
        const count = await countPassports(sandbox)
        if (count < people.length) throw new Error(`${count} of ${people.length} passports were copied`)
        await copy(sandbox)
        checkSame(await sandbox.look(responsesIn), await source.look(responsesIn))
        checkFile(sandbox)
      })
    }
    return { count: done, note: `${midway} left a partial copy` }
  },
}
