import { isTooDeep } from '../domain/text/quote.ts'
import type { Store } from '../store/store.ts'
import { type ParseOptions, parseRecord, RecordError } from './record.ts'
import {
  createThrottledClient,
  ResponseError,
  SourceError,
  type ThrottleOptions,
} from './throttled-client.ts'
import { parseIds, parsePagination, parseResponseId, toLine } from './v1-response.ts'

export type MirrorReport = {
  copied: number
  unchanged: number
  /** Removed or merged at the source; the copies stay. */
  gone: number
  /** Passports that were removed here. */
  removed: number
  failed: number
}

export type MirrorOptions = ThrottleOptions &
  Omit<ParseOptions, 'now'> & {
    store: Store
    concurrency: number
    restore: boolean
    onFailure: (id: number, reason: string) => void
    onProgress: (done: number, total: number) => void
  }

const PAGE_SIZE = 250
/** The list may shift while it is read: it is read again until no new passport appears, at most this often. */
const MAX_WALKS = 4
const UNSEEN_BATCH = 500

/** Copies all listed passports of a source with their credentials. Unchanged ones are skipped by ETag. */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const { store, base, concurrency, onFailure, onProgress } = options
  const client = createThrottledClient(options)
  const run = await store.mirror.begin(base)
  const report: MirrorReport = { copied: 0, unchanged: 0, gone: 0, removed: 0, failed: 0 }
  const seen = new Set<number>()
  const refused: number[] = []
  let done = 0
  let total = 0

  async function copyNow(id: number, onRefused: (id: number, error: RecordError) => void): Promise<void> {
    try {
      const outcome = await copyPassport(id, run, client, options)
      if (outcome) report[outcome]++
    } catch (error) {
      if (error instanceof RecordError) onRefused(id, error)
      else if (error instanceof ResponseError) fail(id, error)
      else throw error
    }
  }

  function fail(id: number, { message }: Error): void {
    report.failed++
    onFailure(id, message)
  }

  /** A refused record is retried at the end, when its wallet may be free. */
  async function copy(id: number): Promise<void> {
    await copyNow(id, () => refused.push(id))
    onProgress(++done, Math.max(total, done))
  }

  /** Copies all pages of the list; returns whether reading it again may find more passports. */
  async function walk(): Promise<boolean> {
    const before = seen.size
    const walked = new Set<number>()
    let page = 1
    for (; ; page++) {
      const reply = await client.get(`/api/v1/passports?page=${page}&per_page=${PAGE_SIZE}`)
      if (reply.status !== 200 && page > 1) break
      const ids = reply.status === 200 ? parseIds(reply.body) : undefined
      if (reply.status !== 200 || !ids)
        throw new SourceError(`${base} has no list of passports (${reply.status}): check the URL.`)
      const isRepeated = ids.every((id) => walked.has(id))
      const fresh = ids.filter((id) => !seen.has(id))
      for (const id of ids) {
        walked.add(id)
        seen.add(id)
      }
      const { last, count } = parsePagination(reply.body)
      total = Math.max(count, seen.size)
      await inParallel(fresh, concurrency, copy)
      // The last page of some sources is missing or wrong.
      if (isRepeated || (last !== undefined && page >= last)) break
    }
    return page > 1 && seen.size > before
  }

  let walks = 0
  do walks++
  while ((await walk()) && walks < MAX_WALKS)

  for (let after: number | undefined = -1; after !== undefined; ) {
    const unseen: number[] = await store.mirror.listUnseen(base, run, after, UNSEEN_BATCH)
    const unlisted = unseen.filter((id) => !seen.has(id))
    await inParallel(unlisted, concurrency, copy)
    after = unseen.at(-1)
  }
  await inParallel(refused, concurrency, (id) => copyNow(id, fail))
  await store.mirror.end(base)
  return report
}

/** Returns undefined if this run has copied the passport before an interruption. */
async function copyPassport(
  id: number,
  run: number,
  client: ReturnType<typeof createThrottledClient>,
  options: MirrorOptions,
): Promise<keyof MirrorReport | undefined> {
  const { store, base } = options
  const noted = await store.mirror.find(base, id)
  if (noted?.run === run) return undefined
  // A passport that is no longer stored is fetched without ETags.
  const known = noted && (await store.passports.find({ id })) ? noted : undefined
  const passportPath = `/api/v1/passports/${id}`
  const credentialsPath = `/api/v1/passport_credentials?passport_id=${id}`
  let passport = await client.get(passportPath, known?.passportEtag)
  if (passport.status === 404) return 'gone'
  let credentials = await client.get(credentialsPath, known?.credentialsEtag)
  if (passport.status === 304 && credentials.status === 304 && known) {
    await store.mirror.note(base, id, { ...known, run })
    return 'unchanged'
  }
  // A record needs both bodies, even if only one changed.
  if (passport.status === 304) passport = await client.get(passportPath)
  if (credentials.status === 304) credentials = await client.get(credentialsPath)
  if (passport.status !== 200 || parseResponseId(passport.body, id) !== id) return 'gone'
  const { body, etag } = credentials.status === 200 ? credentials : { body: undefined, etag: '' }
  const outcome = await save(toLine(id, passport.body, body), options)
  await store.mirror.note(base, id, { passportEtag: passport.etag, credentialsEtag: etag, run })
  return outcome
}

async function save(line: object, options: MirrorOptions): Promise<keyof MirrorReport> {
  const now = options.now()
  const { record } = parseRecord(line, { ...options, now })
  if (isTooDeep(line)) throw new RecordError('passport', 'is nested too deeply')
  const sourceBytes = new TextEncoder().encode(JSON.stringify(line))
  const incoming = record.kind === 'passport' ? { ...record, sourceBytes } : record
  const [result] = await options.store.records.save([incoming], { now, restore: options.restore })
  if (result?.outcome === 'refused') throw new RecordError(result.field, result.reason)
  return result?.outcome === 'removed' || result?.outcome === 'unchanged' ? result.outcome : 'copied'
}

/** After a failure no further work starts. */
async function inParallel<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      await work(items[next++] as T).catch((error) => {
        next = items.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
}
