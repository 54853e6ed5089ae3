import type { ScoreState } from '../../../src/core/history/event.ts'
import { byScore } from '../../../src/core/passport/credential.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** The states of all passports by id, including merged ones. */
export async function readStates(store: Store): Promise<Map<number, ScoreState>> {
  const states = new Map<number, ScoreState>()
  for (const record of await store.records.list(-1, 1000)) {
    const { id, scores, human, calculatedAt, rules = '', mergedInto, credentials = [] } = record
    // The credentials that responses show can be older than the stored ones.
    const shown =
      mergedInto === undefined
        ? ((await store.passports.findWithCredentials({ id }))?.credentials ?? [])
        : credentials.filter(({ superseded }) => !superseded).toSorted(byScore)
    states.set(id, {
      scores: scores as ScoreState['scores'],
      human,
      calculatedAt: calculatedAt as number,
      rules,
      credentials: shown.map(({ givenScore: _, superseded: __, ...credential }) => credential),
    })
  }
  return states
}
