import type { ScoreState } from '../../../src/core/history/event.ts'
import { readCredential } from '../../../src/core/passport/present.ts'
import { defineData } from '../../../src/core/store/data.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** The stored credentials that responses show, also those of merged passports, which no response shows. */
const SHOWN = defineData({
  name: 'shown',
  open: ({ read }) => ({
    list: () =>
      read.query<{ passport_id: number; shown: string }>('select passport_id, shown from credentials'),
  }),
})

/** The states of all passports by id, including merged ones. */
export async function readStates(store: Store): Promise<Map<number, ScoreState>> {
  const rows = await store.data(SHOWN).list()
  const shown = new Map(rows.map(({ passport_id, shown }) => [passport_id, JSON.parse(shown)]))
  const records = await store.records.list(-1, 1000)
  return new Map(
    records.map(({ id, scores, human, calculatedAt, rules = '' }) => [
      id,
      {
        scores: scores as ScoreState['scores'],
        human,
        calculatedAt: calculatedAt as number,
        rules,
        credentials: shown.get(id).map(readCredential),
      },
    ]),
  )
}
