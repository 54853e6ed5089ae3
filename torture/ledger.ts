import type { Outcome } from './part.ts'

/** Of what differs the beginning will do. */
const LONGEST = 500

/** Counts what was done and what was lost, and tells of each loss. */
export function createLedger(tell: (line: string) => void) {
  let [count, lost] = [0, 0]
  return {
    count: () => ++count,
    /** Whatever is thrown is a loss. */
    async check(when: string, look: () => unknown): Promise<void> {
      try {
        await look()
      } catch (error) {
        lost++
        tell(`${when}: ${(error as Error).message.slice(0, LONGEST)}`)
      }
    },
    outcome: (note: string): Outcome => ({ count, lost, note }),
  }
}

export type Ledger = ReturnType<typeof createLedger>
