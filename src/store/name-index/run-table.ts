/** A name may be one letter over and over: longer runs are not counted. */
export const LONGEST_RUN = 64

/** What a place holds: a run (the place of all but its last byte, and that byte), how many names contain it, and the last one. */
const [RUN, COUNT, LAST_NAME, WIDTH] = [0, 1, 2, 4]

/** Counts of runs of bytes, in 2 ** `bits` places; at most half of them may be taken. */
export function createRunTable(bits: number) {
  const table = new Uint32Array(WIDTH << bits)
  const shift = 32 - bits
  const most = 1 << (bits - 1)
  let taken = 0

  return {
    isFull: () => taken === most,
    /** Comes before the first byte of a run. */
    root: table.length,
    /** Where the run is, or a free place for it. */
    placeOf(parent: number, byte: number): number {
      const run = parent * 256 + byte
      let place = (Math.imul(run, 0x9e3779b1) >>> shift) * WIDTH
      while (table[place + RUN] !== run && table[place + RUN] !== 0) place = (place + WIDTH) % table.length
      return place
    },
    isFree: (place: number) => table[place + RUN] === 0,
    put(place: number, parent: number, byte: number): void {
      table[place + RUN] = parent * 256 + byte
      taken++
    },
    runAt(place: number): { parent: number; byte: number } {
      const run = table[place + RUN] as number
      return { parent: Math.floor(run / 256), byte: run % 256 }
    },
    /** A name contains the run, perhaps not for the first time. */
    note(place: number, name: number): void {
      if (table[place + LAST_NAME] === name) return
      table[place + LAST_NAME] = name
      table[place + COUNT] = (table[place + COUNT] as number) + 1
    },
    countAt: (place: number) => table[place + COUNT] as number,
  }
}

export type RunTable = ReturnType<typeof createRunTable>
