import type { Store } from '../store/store.ts'
import { json } from './answer.ts'

/** The process is alive; asks nothing of the store. */
export const getHealth = () => json({ status: 'ok' })

/** Requests can be served: throws `unavailable` if the store cannot be read. */
export function getReadiness(store: Store) {
  return async () => {
    await store.ping()
    return json({ status: 'ready' })
  }
}
