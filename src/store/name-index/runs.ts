import type { Steps } from '../turns.ts'
import { createRunSample } from './run-sample.ts'
import { LONGEST_RUN } from './run-table.ts'
import { END, type NameText } from './text.ts'

/** Of so many blocks one is in the sample. */
const SAMPLE = 16

/** Runs that so many names of the sample contain are counted: they are in too many blocks to be looked for quickly. */
const FREQUENT = 32

/** Bytes looked at before a pause. */
const STEP = 2000

/** Tells how many names contain a run of bytes, if many do. */
export type Runs = (run: Uint8Array) => number | undefined

/** Counts frequent runs in all names. Which these are, a sample of them tells. */
export function* countRuns(text: NameText): Steps<Runs> {
  const sample = createRunSample()
  for (let at = 0; at < text.length; at += SAMPLE) yield* inSteps(text.block(at), sample.add)
  const table = yield* sample.toTable(FREQUENT)
  let name = 1
  for (let at = 0; at < text.length; at++) yield* inSteps(text.block(at), count)

  function count(block: Uint8Array, from: number, to: number): void {
    for (let start = from; start < to; start++) {
      if (block[start] === END) name++
      let parent = table.root
      for (let at = start; block[at] !== END && at < start + LONGEST_RUN; at++) {
        const place = table.placeOf(parent, block[at] as number)
        if (table.isFree(place)) break
        table.note(place, name)
        parent = place
      }
    }
  }

  return (run) => {
    let place = table.root
    for (let at = 0; at < run.length; at++) {
      place = table.placeOf(place, run[at] as number)
      if (table.isFree(place)) return undefined
    }
    return table.countAt(place)
  }
}

function* inSteps(block: Uint8Array, look: (block: Uint8Array, from: number, to: number) => void) {
  for (let from = 0; from < block.length; from += STEP) {
    look(block, from, Math.min(from + STEP, block.length))
    yield
  }
}
