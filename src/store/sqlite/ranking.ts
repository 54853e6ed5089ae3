import type { Database } from 'bun:sqlite'

/** Up to here the order is read between two requests; a longer one is read in steps while the old one stands. */
const STEP = 10_000

/**
 * The ids of all listed passports, highest score first, in memory: any page costs what the first one costs,
 * and the total is known. A small store's order is never behind its data; a large one's is behind for as
 * long as reading it again takes.
 *
 * The connection must be its own: a reading in steps holds a snapshot open that other reads must not share.
 */
export function createRanking(reader: Database) {
  const findVersion = reader.query<{ version: number }, []>('select version from ranking')
  const countIds = reader.query<{ count: number }, []>(
    'select count(*) as count from passports where merged_into is null',
  )
  const listIds = reader.query<{ id: number }, []>(
    'select id from passports where merged_into is null order by score desc, id',
  )

  let order = new Float64Array(0)
  let version = -1
  let reading = false
  let closed = false

  /** Reads the order of one instant, pausing after each step. */
  function* read() {
    reader.run('begin')
    try {
      const next = new Float64Array(countIds.get()?.count ?? 0)
      let count = 0
      for (const { id } of listIds.iterate()) {
        if (count > 0 && count % STEP === 0) yield
        next[count++] = id
      }
      order = next
      version = findVersion.get()?.version ?? 0
    } finally {
      reader.run('commit')
    }
  }

  async function finish(steps: Generator) {
    reading = true
    try {
      // A step that fails is not lost: the version stays behind, and the next request begins again.
      do await new Promise(setImmediate)
      while (!closed && !steps.next().done)
    } finally {
      steps.return(undefined)
      reading = false
      if (closed) reader.close()
    }
  }

  for (const _ of read());

  return {
    ids(): Float64Array {
      if (!reading && findVersion.get()?.version !== version) {
        const steps = read()
        if (!steps.next().done) finish(steps).catch(() => undefined)
      }
      return order
    },
    close(): void {
      closed = true
      if (!reading) reader.close()
    },
  }
}
