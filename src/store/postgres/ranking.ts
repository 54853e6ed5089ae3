import { type Order, toOrder } from '../order.ts'
import { readRanked } from './ids.ts'
import type { Query } from './query.ts'

/** Up to here a request waits for the order to be read again; a longer one is read while the old one stands. */
const SMALL = 10_000

/** How long a request waits for it. */
const PATIENCE_MILLISECONDS = 500

/** After a long reading as much of a rest, times this: a busy writer must not keep us reading for ever. */
const REST = 4

/** In one statement, so that ids, scores and version belong together. */
export const READ_ORDER = `select (select version from versions where name = 'ranking')::float8 as version,
  (select string_agg(int8send(id) || float8send(score), ''::bytea) from
    (select id, score from passports where merged_into is null order by score desc, id) as ranked) as ranked`

type OrderRow = { version: number; ranked: Buffer | null }

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
    const { ids, scores } = await readRanked(row?.ranked)
    version = row?.version ?? 0
    notBefore = performance.now() + (performance.now() - begin) * REST
    order = toOrder(ids, scores)
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
