import type { Database } from 'bun:sqlite'
import { createScoreCounter } from '../../domain/standing.ts'
import { type Order, toOrder } from '../order.ts'
import type { View } from './view.ts'

/** Up to here the order is read between two requests; a longer one is read in steps while the old one stands. */
const STEP = 10_000

/** How often a change is looked for that no request has noticed. */
const WATCH_MILLISECONDS = 1000

/** After a long reading as much of a rest, times this: a busy writer must not keep us reading for ever. */
const REST = 4

/**
 * The order of the list, in memory: any page costs what the first one costs, and the total is known. A small store's
 * order is never behind its data; a large one's is read again within a second or so of a change, and is behind for as
 * long as that takes.
 *
 * It is read when it is first asked for: an import never asks.
 *
 * `reader` must be its own connection: a reading in steps holds a snapshot open that other reads must not share.
 */
export function createRanking(reader: Database, { hot, view }: { hot: Database; view: View }) {
  const findVersion = reader.query<{ version: number }, []>('select version from ranking')
  const seeVersion = hot.query<{ version: number }, []>('select version from ranking')
  const countIds = reader.query<{ count: number }, []>(
    'select count(*) as count from passports where merged_into is null',
  )
  const listIds = reader.query<{ id: number; score: number }, []>(
    'select id, score from passports where merged_into is null order by score desc, id',
  )

  let order = toOrder(new Float64Array(0), { scores: [], counts: [] })
  let version = -1
  let reading = false
  let notBefore = 0
  let closed = false
  /** The view in which the order was last found to be the present one. */
  let seen = 0
  let watch: Timer | undefined

  /** Reads the order of one instant, pausing after each step. */
  function* read() {
    reader.run('begin')
    try {
      const ids = new Float64Array(countIds.get()?.count ?? 0)
      const scores = createScoreCounter()
      let count = 0
      for (const { id, score } of listIds.iterate()) {
        if (count > 0 && count % STEP === 0) yield
        ids[count++] = id
        scores.add(score)
      }
      version = findVersion.get()?.version ?? 0
      order = toOrder(ids, scores.counts)
    } finally {
      if (reader.inTransaction) reader.run('rollback')
    }
  }

  async function finish(steps: Generator) {
    reading = true
    const begin = performance.now()
    try {
      // A step that fails is not lost: the version stays behind, and the next look begins again.
      do await new Promise(setImmediate)
      while (!closed && !steps.next().done)
    } finally {
      steps.return(undefined)
      reading = false
      notBefore = performance.now() + (performance.now() - begin) * REST
      if (closed) reader.close()
    }
  }

  function refresh(): void {
    const number = view.look()
    if (number === seen || reading || performance.now() < notBefore) return
    if (seeVersion.get()?.version === version) {
      seen = number
      return
    }
    const steps = read()
    if (!steps.next().done) finish(steps).catch(() => undefined)
  }

  /** Reads the order for the first time, whole, and looks after it from then on. */
  function begin(): void {
    for (const _ of read());
    watch = setInterval(() => {
      try {
        refresh()
      } catch {
        // The next request meets the same failure, and tells.
      }
    }, WATCH_MILLISECONDS).unref()
  }

  return {
    current(): Order {
      if (watch) refresh()
      else begin()
      return order
    },
    close(): void {
      clearInterval(watch)
      closed = true
      if (!reading) reader.close()
    },
  }
}
