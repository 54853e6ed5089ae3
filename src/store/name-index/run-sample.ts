import type { Steps } from '../turns.ts'
import { countAt, countRuns, createRunTable, placeOf, putRun, type RunTable, runAt } from './run-table.ts'

/** The size of the table in which candidates are, and of the list of those that may come to be some. */
const TABLE_BITS = 18
const RARE_BITS = 21
const MOST = 2 ** (TABLE_BITS - 1)

/** What the sample contains so often may be frequent; of what is long there are not many others like it. */
const PROMISING = 8
const PROMISING_LONG = 2
const LONG = 8

/** Runs taken over before a pause. */
const STEP = 1000

/** Finds out from a sample of names which runs of bytes many names contain. */
export function createRunSample() {
  const table = createRunTable(TABLE_BITS)
  /** How often runs were seen that are not in the table; some share a number. */
  const rare = new Uint8Array(1 << RARE_BITS)
  /** Where the runs are, each after those that it begins with. */
  const places: number[] = []
  let name = 1

  function addPromising(run: number, place: number, length: number): boolean {
    if (places.length === MOST) return false
    const at = Math.imul(run, 0x85ebca6b) >>> (32 - RARE_BITS)
    const seen = (rare[at] as number) + 1
    if (seen < (length < LONG ? PROMISING : PROMISING_LONG)) {
      rare[at] = seen
      return false
    }
    putRun(table, place, run)
    places.push(place)
    return true
  }

  return {
    /** The runs that begin between two bytes of a block. */
    add(block: Uint8Array, from: number, to: number): void {
      name = countRuns(table, block, { from, to, name }, addPromising)
    },
    /** A table of the runs that so many names of the sample contain. */
    *toTable(least: number): Steps<RunTable> {
      const frequent = places.filter((place) => countAt(table, place) >= least)
      const counts = createRunTable(Math.ceil(Math.log2(2 * frequent.length + 2)))
      const moved = new Map([[table.cells.length, counts.cells.length]])
      for (const [at, place] of frequent.entries()) {
        if (at % STEP === 0) yield
        const parent = moved.get(Math.floor(runAt(table, place) / 256))
        if (parent === undefined) continue
        const run = parent * 256 + (runAt(table, place) % 256)
        moved.set(place, placeOf(counts, run))
        putRun(counts, placeOf(counts, run), run)
      }
      return counts
    },
  }
}
