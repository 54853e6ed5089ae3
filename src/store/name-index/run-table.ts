import type { Steps } from '../turns.ts'
import { END } from './text.ts'

/** A name may be one letter over and over: longer runs are not counted. */
const LONGEST_RUN = 64

/** Cells looked at before a pause. */
const STEP = 2 ** 14

/** What a place holds: a run, how many names contain it, and the last of these. */
const [RUN, COUNT, LAST_NAME, WIDTH] = [0, 1, 2, 4]

/**
 * Counts of runs of bytes. A run is told by the place of all but its last byte, times 256, and that byte; a run of one byte
 * by the end of the table. Not by closures: counting is several times as fast over plain data.
 */
export type RunTable = { cells: Uint32Array; shift: number }

/** At most half of its 2 ** `bits` places may be taken. */
export function createRunTable(bits: number): RunTable {
  return { cells: new Uint32Array(WIDTH << bits), shift: 32 - bits }
}

/** Where the run is, or a free place for it. */
export function placeOf({ cells, shift }: RunTable, run: number): number {
  let place = (Math.imul(run, 0x9e3779b1) >>> shift) * WIDTH
  while (cells[place + RUN] !== run && cells[place + RUN] !== 0) place = (place + WIDTH) % cells.length
  return place
}

export const runAt = ({ cells }: RunTable, place: number) => cells[place + RUN] as number

export const countAt = ({ cells }: RunTable, place: number) => cells[place + COUNT] as number

export function putRun({ cells }: RunTable, place: number, run: number): void {
  cells[place + RUN] = run
}

/** How many names contain these bytes; nothing where they are not in the table. */
export function findCount(table: RunTable, bytes: Uint8Array): number | undefined {
  let place = table.cells.length
  for (const byte of bytes) {
    place = placeOf(table, place * 256 + byte)
    if (runAt(table, place) === 0) return undefined
  }
  return countAt(table, place)
}

/**
 * Counts the runs that begin between two bytes of a block, once for each name. `add` is asked to put in those that are
 * missing. Gives back the number of the next name.
 */
export function countRuns(
  table: RunTable,
  block: Uint8Array,
  { from, to, name }: { from: number; to: number; name: number },
  add?: (run: number, place: number, length: number) => boolean,
): number {
  const { cells, shift } = table
  const mask = cells.length - 1
  let number = name
  for (let start = from; start < to; start++) {
    if (block[start] === END) number++
    let run = cells.length * 256
    for (let at = start; at < start + LONGEST_RUN; at++) {
      const byte = block[at] as number
      if (byte === END) break
      run += byte
      let place = (Math.imul(run, 0x9e3779b1) >>> shift) * WIDTH
      while (cells[place + RUN] !== run && cells[place + RUN] !== 0) place = (place + WIDTH) & mask
      if (cells[place + RUN] === 0 && !add?.(run, place, at - start)) break
      if (cells[place + LAST_NAME] !== number) {
        cells[place + LAST_NAME] = number
        cells[place + COUNT] = (cells[place + COUNT] as number) + 1
      }
      run = place * 256
    }
  }
  return number
}

/** The runs up to a length that at least so many names contain. */
export function* listRuns(table: RunTable, longest: number, least: number): Steps<Uint8Array[]> {
  const runs: Uint8Array[] = []
  for (let place = 0; place < table.cells.length; place += WIDTH) {
    if (place % STEP === 0) yield
    if (runAt(table, place) === 0 || countAt(table, place) < least) continue
    const bytes = bytesAt(table, place)
    if (bytes.length <= longest) runs.push(bytes)
  }
  return runs
}

function bytesAt(table: RunTable, place: number): Uint8Array {
  const bytes: number[] = []
  for (let at = place; at < table.cells.length; at = Math.floor(runAt(table, at) / 256)) {
    bytes.push(runAt(table, at) % 256)
  }
  return Uint8Array.from(bytes.reverse())
}
