import { dayOf } from '../../domain/usage.ts'
import type { Store } from '../../store/store.ts'
import type { Job } from './supervise.ts'

/** This month's requests by key id, as stored on a day. */
type OnSums = (day: string, sums: ReadonlyMap<string, number>) => void

export const updateQuotas = ({ usage }: Store, onSums: OnSums): Job => ({
  name: 'Monthly quotas are outdated',
  interval: 10_000,
  async run() {
    const day = dayOf(Date.now())
    onSums(day, new Map(await usage.sumByKey({ since: `${day.slice(0, 8)}01`, until: day })))
  },
})
