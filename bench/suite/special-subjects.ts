import { wrk } from '../measure.ts'
import { pgbench } from '../pgbench.ts'
import { settle } from '../process-figures.ts'
import type { Like } from './like.ts'
import type { Side } from './sides.ts'
import type { Subject } from './turns.ts'

/** Callers who search while others read by id. */
const SEARCHERS = 4

/** Reads by id, while keywords of all kinds are looked for. */
export function busyReads({ url, spent, loads }: Side): Subject {
  return {
    side: 'ours, keywords meanwhile',
    read: 'by-id',
    async turn(seconds, from) {
      // Begins before, ends after.
      const searching = wrk(url, { load: loads.mixed, seconds: seconds + 2, connections: SEARCHERS, from })
      await Bun.sleep(500)
      const turn = await wrk(url, { load: loads['by-id'], seconds, from })
      await searching
      await settle(spent)
      return turn
    },
  }
}

/** Keywords as plain SQL, in this process. */
export function likes(like: Like, read: string, keywords: readonly string[]): Subject {
  return {
    side: 'LIKE on SQLite',
    read,
    async turn(seconds, from) {
      const times: number[] = []
      const end = performance.now() + seconds * 1000
      for (let at = from; performance.now() < end || times.length === 0; at++) {
        times.push(like.time(keywords[at % keywords.length] as string))
      }
      times.sort((one, other) => one - other)
      const mean = times.reduce((sum, time) => sum + time, 0) / times.length
      const p99 = times[Math.ceil(times.length * 0.99) - 1] as number
      return { requests: times.length, rate: 1000 / mean, mean, p99 }
    },
  }
}

type Bare = { database: string; script: string; spent: () => number }

/** What PostgreSQL gives with nothing in front. */
export function selects({ database, script, spent }: Bare): Subject {
  return {
    side: 'pgbench',
    read: 'by-id',
    async turn(seconds) {
      const before = spent()
      const rate = await pgbench(database, script, seconds)
      const requests = Math.round(rate * seconds)
      const processor = ((spent() - before) * 1e6) / requests
      await settle(spent)
      return { requests, rate, mean: Number.NaN, p99: Number.NaN, processor }
    },
  }
}
