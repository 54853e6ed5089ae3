import { addUp, type Family } from '../api/prometheus.ts'

/** What the workers of a process counted, as far as they told. */
export function createCrewMetrics() {
  const living = new Map<number, readonly Family[]>()
  let gone: Family[] = []
  return {
    note: (pid: number, families: readonly Family[]) => void living.set(pid, families),
    end(pid: number): void {
      gone = addUp([], addUp([living.get(pid) ?? []], gone))
      living.delete(pid)
    },
    /** All of it, with what this process counted itself. */
    addUp: (own: readonly Family[]) => addUp([own, ...living.values()], gone),
  }
}

export type CrewMetrics = ReturnType<typeof createCrewMetrics>
