import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseAddress } from '../domain/database-address.ts'
import type { UsageReport } from '../http/usage.ts'
import { adoptRules, keepRescoring, type Rescorer } from '../scoring/rescore.ts'
import { openStore, SOON } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { loadRules } from './rules.ts'

export type ScorerOrder = { database: DatabaseAddress; rules: string | undefined }
export type ScorerMessage =
  | { kind: 'failed'; reason: string }
  | { kind: 'lost'; reason: string }
  | { kind: 'waits' }
  | { kind: 'ended' }

const AFTER_FAILURE_MILLISECONDS = 5000
const USAGE_MILLISECONDS = 500

declare const self: Worker

const stop = new AbortController()
self.onmessage = ({ data }: MessageEvent<ScorerOrder | UsageReport | 'stop'>) => {
  if (data === 'stop') stop.abort()
  else if ('counts' in data) usage.push(data)
  else Promise.all([work(data), keepUsage(data)]).finally(() => tell({ kind: 'ended' }))
}

/** Counts that wait to be kept; while the store is away they go on waiting. */
const usage: UsageReport[] = []
const MOST_WAITING = 10_000

async function keepUsage({ database }: ScorerOrder): Promise<void> {
  let store: Store | undefined
  for (;;) {
    const last = stop.signal.aborted
    try {
      store ??= await openStore(database, SOON)
      for (let report = usage[0]; report; report = usage[0]) {
        await store.usage.add(report.counts, report.lastUsed)
        usage.shift()
      }
    } catch (error) {
      tell({ kind: 'lost', reason: (error as Error).message })
      usage.splice(0, usage.length - MOST_WAITING)
    }
    if (last) break
    await sleep(usage.length > 0 ? AFTER_FAILURE_MILLISECONDS : USAGE_MILLISECONDS, undefined, {
      signal: stop.signal,
    }).catch(() => undefined)
  }
  await store?.close()
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
