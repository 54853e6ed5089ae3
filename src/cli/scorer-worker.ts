import { setTimeout as sleep } from 'node:timers/promises'
import { adoptRules, type Rescorer, rescoreSome } from '../scoring/rescore.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import { loadRules } from './rules.ts'

export type ScorerOrder = { database: string; rules: string | undefined }
export type ScorerMessage = { kind: 'failed'; reason: string } | { kind: 'waits' } | { kind: 'ended' }

/** How often a scorer with nothing to do looks for stale passports. */
const IDLE_MILLISECONDS = 250
const AFTER_FAILURE_MILLISECONDS = 5000

declare const self: Worker

const stop = new AbortController()
self.onmessage = ({ data }: MessageEvent<ScorerOrder | 'stop'>) => {
  if (data === 'stop') stop.abort()
  else work(data).finally(() => tell({ kind: 'ended' }))
}

async function work({ database, rules: path }: ScorerOrder): Promise<void> {
  let scorer: Rescorer | undefined
  let waits = false
  while (!stop.signal.aborted) {
    try {
      scorer ??= await begin(database, path)
      const count = await rescoreSome(scorer)
      if (count === undefined && !waits) tell({ kind: 'waits' })
      waits = count === undefined
      if (!count) await pause(IDLE_MILLISECONDS)
    } catch (error) {
      tell({ kind: 'failed', reason: (error as Error).message })
      await pause(AFTER_FAILURE_MILLISECONDS)
    }
  }
  await scorer?.store.close()
}

async function begin(database: string, path: string | undefined): Promise<Rescorer> {
  const onFailure = (id: number, error: unknown) =>
    tell({ kind: 'failed', reason: `passport ${id}: ${(error as Error).message}` })
  const scorer = { store: openSqlite(database), rules: loadRules(path), now: Date.now, onFailure }
  await adoptRules(scorer)
  return scorer
}

const tell = (message: ScorerMessage) => postMessage(message)

const pause = (milliseconds: number) =>
  sleep(milliseconds, undefined, { signal: stop.signal }).catch(() => undefined)
