import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { type MirrorOptions, mirror } from '../../../src/features/mirror/mirror.ts'
import { faultyProxy, type Seen } from '../http/faulty-proxy.ts'
import { owning } from '../owning.ts'
import { openTestStore } from '../store/engines.ts'
import { inventPeople } from '../store/invented-people.ts'
import { ada, NOON, record } from '../store/records.ts'
import { QUICK } from './throttled-client.ts'
import { serveV1 } from './v1-source.ts'

/** More passports than fit on a list page. One of them has every field. */
export const CROWD = [
  ...Array.from({ length: 200 }, (_, at) => record(5000 + at)),
  ...inventPeople().slice(0, 60),
  { ...ada, id: 2007 },
]
export const SOME = CROWD.slice(-60)
export const FEW = CROWD.slice(-5)

export const NONE = { copied: 0, unchanged: 0, merged: 0, gone: 0, pruned: 0, removed: 0, failed: 0 }

/** Copies with a fake clock, without delays. */
export async function copy(store: Store, base: string, given: Partial<MirrorOptions> = {}) {
  let time = NOON
  const failures: string[] = []
  const progress: [number, number][] = []
  const kept: string[] = []
  const { report, gone, refusal } = await mirror({
    store,
    base,
    ...QUICK,
    concurrency: 8,
    restore: false,
    version: 1,
    prune: 'none',
    onKept: (id, reason) => kept.push(`${id}: ${reason}`),
    rescore: false,
    rawKindOf: () => undefined,
    fetch: (url, init) => fetch(url, init),
    async sleep(milliseconds) {
      await new Promise(setImmediate)
      time += Math.ceil(milliseconds)
    },
    now: () => time,
    ticks: () => time,
    onFailure: (id, reason) => failures.push(`${id}: ${reason}`),
    onProgress: (...at) => progress.push(at),
    ...given,
  })
  return { report, gone, refusal, failures, kept, progress }
}

export const ofPassports = (seen: readonly Seen[]) => seen.filter(({ path }) => !path.includes('?page='))

type Serve = (store: Store, options: { requireKey: boolean }) => { url: URL } & AsyncDisposable

/** A service with these records, behind a proxy that notes its requests. */
export async function serveSource(
  records: readonly PassportRecord[],
  { requireKey = false, ...faults }: Parameters<typeof faultyProxy>[1] & { requireKey?: boolean } = {},
  serve: Serve = serveV1,
) {
  const store = await openTestStore('sqlite', records)
  const server = serve(store, { requireKey })
  const proxy = await faultyProxy(server.url, faults)
  return owning({ ...proxy, store }, store, server, proxy)
}
