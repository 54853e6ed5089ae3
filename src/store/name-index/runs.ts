import type { Steps } from '../turns.ts'
import { createRunSample } from './run-sample.ts'
import { countRuns, findCount, listRuns } from './run-table.ts'
import type { NameText } from './text.ts'

/** Of so many blocks one is in the sample. */
const SAMPLE = 16

/** Runs that so many names of the sample contain are counted: they are in too many blocks to be looked for quickly. */
const FREQUENT = 32

/** Bytes looked at before a pause. */
const STEP = 1000

export type Runs = {
  /** How many names contain a run of bytes, if many do. */
  count(run: Uint8Array): number | undefined
  /** The runs up to a length that at least so many names contain. */
  list(longest: number, least: number): Steps<Uint8Array[]>
}

/** Counts frequent runs of bytes in all names. Which these are, a sample of the names tells. */
export function* findRuns(text: NameText): Steps<Runs> {
  const sample = createRunSample()
  for (let at = 0; at < text.length; at += SAMPLE) yield* inSteps(text.block(at), sample.add)
  const table = yield* sample.toTable(FREQUENT)
  let name = 1
  for (let at = 0; at < text.length; at++) {
    yield* inSteps(text.block(at), (block, from, to) => {
      name = countRuns(table, block, { from, to, name })
    })
  }
  return {
    count: (run) => findCount(table, run),
    list: (longest, least) => listRuns(table, longest, least),
  }
}

function* inSteps(block: Uint8Array, look: (block: Uint8Array, from: number, to: number) => void) {
  for (let from = 0; from < block.length; from += STEP) {
    look(block, from, Math.min(from + STEP, block.length))
    yield
  }
}
