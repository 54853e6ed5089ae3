import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseAddress } from '../domain/database-address.ts'
import { adoptRules, keepRescoring, type Rescorer } from '../scoring/rescore.ts'
import { openStore, SOON } from '../store/open.ts'
import { loadRules } from './rules.ts'

export type ScorerOrder = { database: DatabaseAddress; rules: string | undefined }
export type ScorerMessage = { kind: 'failed'; reason: string } | { kind: 'waits' } | { kind: 'ended' }

const AFTER_FAILURE_MILLISECONDS = 5000

declare const self: Worker

const stop = new AbortController()
self.onmessage = ({ data }: MessageEvent<ScorerOrder | 'stop'>) => {
  if (data === 'stop') stop.abort()
  else work(data).finally(() => tell({ kind: 'ended' }))
}

async function work({ database, rules: path }: ScorerOrder): Promise<void> {
  let scorer: Rescorer | undefined
  while (!stop.signal.aborted) {
    try {
      scorer ??= await begin(database, path)
      await keepRescoring(scorer, stop.signal, () => tell({ kind: 'waits' }))
    } catch (error) {
      tell({ kind: 'failed', reason: (error as Error).message })
      await sleep(AFTER_FAILURE_MILLISECONDS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  await scorer?.store.close()
}

async function begin(database: DatabaseAddress, path: string | undefined): Promise<Rescorer> {
  const onFailure = (id: number, error: unknown) =>
    tell({ kind: 'failed', reason: `passport ${id}: ${(error as Error).message}` })
  const rules = loadRules(path)
  const store = await openStore(database, SOON)
  const scorer = { store, rules, now: Date.now, onFailure }
  try {
    await adoptRules(scorer)
  } catch (error) {
    await store.close()
    throw error
  }
  return scorer
}

const tell = (message: ScorerMessage) => postMessage(message)
