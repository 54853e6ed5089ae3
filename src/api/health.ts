import type { Store } from '../store/store.ts'
import { json } from './answer.ts'

/** The process is alive; asks nothing of the store. */
export const getHealth = () => json({ status: 'ok' })

const present = (works: boolean) => (works ? 'ok' : 'unavailable')

/** Requests can be served, if perhaps no record be taken in: throws `unavailable` if the store cannot be read. */
export function getReadiness(store: Store) {
  return async () => {
    const { writes, replica } = await store.ping()
    return json({
      status: 'ready',
      writes: present(writes),
      ...(replica !== undefined && { replica: present(replica) }),
    })
  }
}
