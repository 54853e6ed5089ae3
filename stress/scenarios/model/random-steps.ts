import fc from 'fast-check'
import { isPossible, type Step, someStep } from '../../../test/model/operations.ts'
import type { Service } from '../../../test/model/service.ts'
import type { Random } from '../../../test/support/random.ts'

export type Steps = ReturnType<typeof createSteps>

/** So many operations ahead are searched for one that is possible together with another. */
const AHEAD = 20
const LATEST = 10

/** Random operations without end. */
export function createSteps(random: Random) {
  const prepared: Step[] = []
  const taken: Step[] = []

  function prepare() {
    const seed = random.whole(0, 2 ** 31 - 1)
    if (prepared.length < AHEAD) prepared.push(...fc.sample(someStep, { seed, numRuns: 10 * AHEAD }))
  }

  return {
    /** The next operation that is possible. */
    next(service: Service): Step {
      for (;;) {
        prepare()
        const step = prepared.shift() as Step
        if (!isPossible(service, step)) continue
        taken.push(step)
        return step
      }
    },
    /** Takes the first of the next operations that matches. */
    find(matches: (step: Step) => boolean): Step | undefined {
      prepare()
      const at = prepared.slice(0, AHEAD).findIndex(matches)
      const found = at < 0 ? [] : prepared.splice(at, 1)
      taken.push(...found)
      return found[0]
    },
    /** The last operations that were taken. */
    latest: () => taken.slice(-LATEST),
  }
}
