import type { LeaseStore } from './statements.ts'

const LEASE_MILLISECONDS = 6000

/** Holds a lease while `renew` is called often enough. It is renewed after a third of its time. */
export function createLease(leases: LeaseStore, name: string, milliseconds = LEASE_MILLISECONDS) {
  const holder = crypto.randomUUID()
  let end = new AbortController()
  let timer: Timer | undefined
  let renewedAt = Number.NEGATIVE_INFINITY
  const isHeld = () => performance.now() < renewedAt + milliseconds

  return {
    isHeld,
    /** Aborted when the lease ends. A new lease has a new signal. */
    signal: () => end.signal,
    async renew(): Promise<boolean> {
      // The database counts from a later time, so the lease ends here before another node can take it.
      const begin = performance.now()
      if (begin < renewedAt + milliseconds / 3) return true
      if (!(await leases.acquire(name, holder, milliseconds))) {
        renewedAt = Number.NEGATIVE_INFINITY
        end.abort()
        return false
      }
      renewedAt = begin
      clearTimeout(timer)
      if (end.signal.aborted) end = new AbortController()
      timer = setTimeout(() => end.abort(), Math.ceil(begin + milliseconds - performance.now()))
      return isHeld()
    },
    async release(): Promise<void> {
      clearTimeout(timer)
      if (isHeld()) await leases.release(name, holder)
      renewedAt = Number.NEGATIVE_INFINITY
    },
  }
}
