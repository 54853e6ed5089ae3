import type { Steps } from '../turns.ts'
import { createRunTable, LONGEST_RUN, type RunTable } from './run-table.ts'
import { END } from './text.ts'

/** The size of the table in which candidates are, and of the list of those that may come to be some. */
const TABLE_BITS = 18
const RARE_BITS = 21

/** What the sample contains so often may be frequent; the longer it is, the fewer others like it there are. */
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
  /** The places of the runs, the shorter before those that they begin. */
  const places: number[] = []
  let name = 1

  function isPromising(place: number, parent: number, byte: number, length: number): boolean {
    if (table.isFull()) return false
    const at = Math.imul(parent * 256 + byte, 0x85ebca6b) >>> (32 - RARE_BITS)
    const seen = (rare[at] as number) + 1
    if (seen < (length < LONG ? PROMISING : PROMISING_LONG)) {
      rare[at] = seen
      return false
    }
    table.put(place, parent, byte)
    places.push(place)
    return true
  }

  return {
    /** The runs that begin between two bytes of a block. */
    add(block: Uint8Array, from: number, to: number): void {
      for (let start = from; start < to; start++) {
        if (block[start] === END) name++
        let parent = table.root
        for (let at = start; block[at] !== END && at < start + LONGEST_RUN; at++) {
          const place = table.placeOf(parent, block[at] as number)
          if (table.isFree(place) && !isPromising(place, parent, block[at] as number, at - start)) break
          table.note(place, name)
          parent = place
        }
      }
    },
    /** A table of the runs that so many names of the sample contain. */
    *toTable(least: number): Steps<RunTable> {
      const frequent = places.filter((place) => table.countAt(place) >= least)
      yield
      const counts = createRunTable(Math.ceil(Math.log2(2 * frequent.length + 2)))
      const moved = new Map([[table.root, counts.root]])
      for (const [at, place] of frequent.entries()) {
        if (at % STEP === 0) yield
        const { parent, byte } = table.runAt(place)
        const newParent = moved.get(parent)
        if (newParent === undefined) continue
        const newPlace = counts.placeOf(newParent, byte)
        counts.put(newPlace, newParent, byte)
        moved.set(place, newPlace)
      }
      return counts
    },
  }
}
