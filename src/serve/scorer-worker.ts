import { setTimeout as sleep } from 'node:timers/promises'
import type { UsageReport } from '../api/usage.ts'
import type { DatabaseAddress } from '../domain/database-address.ts'
import { loadRules } from '../scoring/load-rules.ts'
import { adoptRules, keepRescoring, type Rescorer } from '../scoring/rescore.ts'
import { openStore, SOON } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createWaitingUsage } from './waiting-usage.ts'

export type ScorerOrder = { database: DatabaseAddress; rules: string | undefined }
export type ScorerMessage =
  | { kind: 'failed'; reason: string }
  | { kind: 'unkept'; reason: string }
  | { kind: 'lost'; requests: number }
  | { kind: 'waits' }
  | { kind: 'ended' }

const AFTER_FAILURE_MILLISECONDS = 5000
const USAGE_MILLISECONDS = 500

/** How long counts that cannot be kept hold up the end. */
const LAST_TRIES_MILLISECONDS = 5000

declare const self: Worker

const stop = new AbortController()
self.onmessage = ({ data }: MessageEvent<ScorerOrder | UsageReport | 'stop'>) => {
  if (data === 'stop') stop.abort()
  else if ('counts' in data) usage.push(data)
  // Each to its own end, whatever becomes of the others.
  else Promise.allSettled([work(data), keepUsage(data)]).then(() => tell({ kind: 'ended' }))
}

const usage = createWaitingUsage()

/** Keeps what comes in; while the store is away it waits, and nothing of it is given up before the end. */
async function keepUsage({ database }: ScorerOrder): Promise<void> {
  let store: Store | undefined
  let fails = false
  let lastTry = Number.POSITIVE_INFINITY
  for (;;) {
    // Asked first: what came before the order to stop is kept below.
    const isEnding = stop.signal.aborted
    if (isEnding) lastTry = Math.min(lastTry, performance.now() + LAST_TRIES_MILLISECONDS)
    try {
      if (usage.size() > 0) {
        store ??= await openStore(database, SOON)
        await usage.keep(store)
      }
      fails = false
    } catch (error) {
      if (!fails) tell({ kind: 'unkept', reason: (error as Error).message })
      fails = true
    }
    if (isEnding && (!fails || performance.now() >= lastTry)) break
    await sleep(USAGE_MILLISECONDS, undefined, isEnding ? {} : { signal: stop.signal }).catch(() => undefined)
  }
  if (usage.size() > 0) tell({ kind: 'lost', requests: usage.size() })
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
  const rules = await loadRules(path)
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
