import { accountKeyOf } from '../../../src/core/passport/passport.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'

/** The scores by a rule that gives one point per unit of the best `code` account that no other passport had first. */
export async function expectedScores(store: Store) {
  const records = await store.records.list(-1, 10_000)
  const byId = new Map(records.map((record) => [record.id, record]))
  const survivorOf = ({ id, mergedInto }: PassportRecord): number =>
    mergedInto === undefined ? id : survivorOf(byId.get(mergedInto) as PassportRecord)
  const points = records.flatMap((record) =>
    (record.dataPoints ?? [])
      .filter(({ type }) => type === 'code')
      .map(({ account, value, addedAt = 0 }) => {
        return { id: record.id, survivor: survivorOf(record), key: accountKeyOf(account), value, addedAt }
      }),
  )
  const ordered = points.toSorted((one, other) => one.addedAt - other.addedAt || one.id - other.id)
  const isOwn = ({ key, survivor }: (typeof points)[number]) =>
    key === '' || ordered.find((other) => other.key === key)?.survivor === survivor
  return records.map(({ id, scores, stale = false }) => {
    const own = points.filter((point) => point.id === id && isOwn(point))
    return { id, stale, score: scores?.total, expected: Math.max(0, ...own.map(({ value }) => value.amount)) }
  })
}
