import { dayOf } from '../../domain/usage.ts'
import type { Store } from '../../store/store.ts'
import type { FromWriter } from '../messages.ts'
import type { Job } from './supervise.ts'

/** Sends this month's requests of each key to the server threads. */
export const updateQuotas = ({ usage }: Store, send: (message: FromWriter) => void): Job => ({
  name: 'Monthly quotas are outdated',
  interval: 10_000,
  async run() {
    const day = dayOf(Date.now())
    const sums = new Map(await usage.sumByKey({ since: `${day.slice(0, 8)}01`, until: day }))
    send({ kind: 'month', day, sums })
  },
})
