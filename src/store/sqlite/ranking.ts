import type { Database } from 'bun:sqlite'
import { createScoreCounter } from '../../domain/standing.ts'
import { createIdList } from '../id-list.ts'
import { createNameText } from '../name-index/text.ts'
import { type Order, toOrder } from '../order.ts'
import type { Steps, Turns } from '../turns.ts'
import type { View } from './view.ts'

/** Up to here the order is read between two requests; a longer one is read in steps while the old one stands. */
export const SMALL = 10_000

/** Rows of a step. */
const STEP = 200

/** How often a change is looked for that no request has noticed. */
const WATCH_MILLISECONDS = 1000

/** After a long reading as much of a rest, times this: a busy writer must not keep us reading for ever. */
export const REST = 4

type Row = { id: number; score: number; display_name?: string }

export type Text = ReturnType<typeof createNameText>

type Surroundings = {
  hot: Database
  view: View
  turns: Turns
  small: number
  /** Who wants to have the names as well, now and then. */
  names: {
    isDue(order: Order): boolean
    /** The text is theirs from then on. */
    take(order: Order, text: Text): void
    giveUp(error: unknown): void
  }
}

/**
 * The order of the list, in memory: any page costs what the first one costs, and the total is known. A small store's
 * order is never behind its data; a large one's is read again within a second or so of a change, and is behind for as
 * long as that takes.
 *
 * It is read when it is first asked for: an import never asks.
 *
 * `reader` must be its own connection: a reading in steps holds a snapshot open that other reads must not share.
 */
export function createRanking(reader: Database, { hot, view, turns, small, names }: Surroundings) {
  const findVersion = reader.query<{ version: number }, []>('select version from ranking')
  const seeVersion = hot.query<{ version: number }, []>('select version from ranking')
  const ranked = 'from passports where merged_into is null order by score desc, id'
  const listIds = reader.query<Row, []>(`select id, score ${ranked}`)
  const listNames = reader.query<Row, []>(`select id, score, display_name ${ranked}`)

  let order = toOrder(new Uint32Array(0), { scores: [], counts: [] })
  let version = -1
  let reading = false
  let notBefore = 0
  /** The view in which the order was last found to be the present one. */
  let seen = 0
  let watch: Timer | undefined

  /** Reads the order of one instant, pausing after each step. */
  function* read(first: number, text?: Text): Steps<void> {
    reader.run('begin')
    try {
      const ids = createIdList(order.ids.length)
      const scores = createScoreCounter()
      let count = 0
      let pause = first
      for (const { id, score, display_name } of (text ? listNames : listIds).iterate()) {
        if (count === pause) {
          yield
          pause += STEP
        }
        count++
        ids.add(id)
        scores.add(score)
        if (text && !addName(text, display_name)) text = undefined
      }
      const present = findVersion.get()?.version ?? 0
      // The names alone may have been wanted: what others made of the same order stays good.
      if (present !== version) order = toOrder(ids.end(), scores.counts)
      version = present
      if (text) names.take(order, text)
      text = undefined
    } finally {
      text?.close()
      if (reader.inTransaction) reader.run('rollback')
    }
  }

  /** Without room for names, the order is read all the same. */
  function addName(text: Text, name = ''): boolean {
    try {
      text.add(name)
      return true
    } catch (error) {
      text.close()
      names.giveUp(error)
      return false
    }
  }

  async function finish(steps: Steps<void>) {
    reading = true
    const begin = performance.now()
    try {
      // A step that fails is not lost: the version stays behind, and the next look begins again.
      await turns.run(steps)
    } finally {
      reading = false
      notBefore = performance.now() + (performance.now() - begin) * REST
    }
  }

  function refresh(): void {
    const number = view.look()
    const isSmall = order.ids.length <= small
    if (reading || (!isSmall && performance.now() < notBefore)) return
    const isDue = names.isDue(order)
    if (!isDue) {
      if (number === seen) return
      if (seeVersion.get()?.version === version) {
        seen = number
        return
      }
    }
    if (isSmall) {
      const steps = read(small)
      if (!steps.next().done) finish(steps).catch(() => undefined)
    } else {
      const text = isDue ? createNameText(`${reader.filename}-names`) : undefined
      finish(read(STEP, text)).catch(() => undefined)
    }
  }

  /** Reads the order for the first time, whole, and looks after it from then on. */
  function begin(): void {
    for (const _ of read(small));
    refresh()
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
    /** After all turns have ended. */
    close(): void {
      clearInterval(watch)
      reader.close()
    },
  }
}
