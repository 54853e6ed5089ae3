import { type Order, toOrder } from '../order.ts'
import { readIds } from './ids.ts'
import type { Query } from './query.ts'

/** Up to here a request waits for the order to be read again; a longer one is read while the old one stands. */
const SMALL = 10_000

/** How long a request waits for it. */
const PATIENCE_MILLISECONDS = 500

/** After a long reading as much of a rest, times this: a busy writer must not keep us reading for ever. */
const REST = 4

/** In one statement, so that ids and version belong together. */
export const READ_ORDER = `select (select version from versions where name = 'ranking')::float8 as version,
  (select string_agg(int8send(id), ''::bytea) from
    (select id from passports where merged_into is null order by score desc, id) as ranked) as ids,
  (select json_agg(array[score, number] order by score desc) from
    (select score, count(*)::float8 as number from passports where merged_into is null group by score) as runs) as scores`

type OrderRow = { version: number; ids: Buffer | null; scores: [score: number, count: number][] | null }

/**
 * The order of the list, in memory: any page costs what the first one costs, and the total is known. Changes of this
 * process are in it at once where it is small; those of others as soon as the watch over the server has seen them.
 */
export function createRanking(read: Query) {
  let order: Order | undefined
  let version = -1
  let outdated = false
  let reading: Promise<Order> | undefined
  let notBefore = 0

  async function fetch(): Promise<Order> {
    const begin = performance.now()
    outdated = false
    const [row] = await read<OrderRow>(READ_ORDER)
    const ids = await readIds(row?.ids)
    const runs = row?.scores ?? []
    version = row?.version ?? 0
    notBefore = performance.now() + (performance.now() - begin) * REST
    order = toOrder(ids, { scores: runs.map(([score]) => score), counts: runs.map(([, count]) => count) })
    return order
  }

  function refresh(): Promise<Order> {
    reading ??= fetch()
      .catch((error) => {
        outdated = true
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  /** The new order, or where that takes long the old one. */
  async function soon(old: Order): Promise<Order> {
    const { promise, resolve } = Promise.withResolvers<Order>()
    const timer = setTimeout(() => resolve(old), PATIENCE_MILLISECONDS)
    try {
      return await Promise.race([refresh().catch(() => old), promise])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async current(): Promise<Order> {
      if (!order) return refresh()
      if (!outdated && !reading) return order
      if (order.ids.length <= SMALL) return soon(order)
      if (performance.now() >= notBefore) refresh().catch(() => undefined)
      return order
    },
    /** A server has told its version. */
    see(seen: number): void {
      if (seen !== version) outdated = true
    },
    /** This process has changed something. */
    touch(): void {
      outdated = true
    },
  }
}
