import type { Load } from '../load.ts'
import { inTurn } from '../load.ts'
import { wrk } from '../measure.ts'
import { pgbench } from '../pgbench.ts'
import { processorTime, settle } from '../process-figures.ts'
import type { Answers } from './answers.ts'
import type { startConstants, startNginx } from './ceilings.ts'
import type { Keywords } from './keywords.ts'
import type { openLike } from './like.ts'
import { KEY_HEADERS } from './ours.ts'
import type { Read } from './reads.ts'
import { loaded, type Subject, type Turn } from './turns.ts'

export type Loads = Record<Read | 'mixed', Load>

export type Server = { url: string; spent: () => number; loads: Loads }

/** One read of a server that speaks V1. */
export const readOf = (
  side: string,
  { loads, ...server }: Server,
  read: Read | 'mixed',
  connections?: number,
) => loaded(side, read, { ...server, load: loads[read], ...(connections && { connections }) })

type Ceilings = {
  constants: Awaited<ReturnType<typeof startConstants>>
  nginx: Awaited<ReturnType<typeof startNginx>>
}

/** The same requests, answered with constant bytes. */
export function ceilingsOf({ constants, nginx }: Ceilings, read: keyof Answers, load: Load): Subject[] {
  const spent = () => processorTime(constants.pid)
  const subjects = [
    loaded('constant', read, { url: constants.bare(read), load, spent }),
    loaded('constant, our headers', read, { url: constants.dressed(read), load, spent }),
  ]
  if (!nginx) return subjects
  const headers = read === 'not-modified' ? { ...KEY_HEADERS, 'If-None-Match': nginx.tag } : KEY_HEADERS
  const file = inTurn([{ path: `/${read}`, headers }])
  return [
    ...subjects,
    loaded('nginx', read, { url: nginx.url, load: file, spent: () => processorTime(nginx.pid) }),
  ]
}

/** Callers who search while others read by id. */
const SEARCHERS = 4

/** Reads by id, while keywords of all kinds are looked for. */
export function busyReads({ url, spent, loads }: Server): Subject {
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
export function likes(
  like: ReturnType<typeof openLike>,
  keywords: Keywords,
  reads: readonly (keyof Keywords)[],
): Subject[] {
  return reads.map((read) => ({
    side: 'LIKE on SQLite',
    read,
    async turn(seconds, from) {
      const times: number[] = []
      const end = performance.now() + seconds * 1000
      for (let at = from; performance.now() < end || times.length === 0; at++) {
        times.push(like.time(keywords[read][at % keywords[read].length] as string))
      }
      const sorted = times.toSorted((a, b) => a - b)
      const mean = times.reduce((sum, time) => sum + time, 0) / times.length
      const p99 = sorted[Math.ceil(times.length * 0.99) - 1] as number
      return { requests: times.length, rate: 1000 / mean, mean, p99, processor: mean * 1000 }
    },
  }))
}

/** What PostgreSQL gives with nothing in front. */
export function selects(url: string, script: string, spent: () => number): Subject {
  return {
    side: 'pgbench',
    read: 'by-id',
    async turn(seconds): Promise<Turn> {
      const rate = await pgbench(url, script, seconds)
      await settle(spent)
      return { requests: Math.round(rate * seconds), rate, mean: Number.NaN, p99: Number.NaN }
    },
  }
}
