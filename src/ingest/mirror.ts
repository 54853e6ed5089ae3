import { isTooDeep } from '../domain/text/quote.ts'
import type { Store } from '../store/store.ts'
import { type ParseOptions, parseRecord, RecordError } from './record.ts'
import {
  createThrottledClient,
  ResponseError,
  SourceError,
  type ThrottledClient,
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
    /** `id` is a text if the source has an invalid id. */
    onFailure: (id: number | string, reason: string) => void
    onProgress: (done: number, total: number) => void
  }

const PAGE_SIZE = 250
/** The list may shift while it is read: it is read again until no new passport appears, at most this often. */
const MAX_WALKS = 4
const UNSEEN_BATCH = 500

/** The state of a run. */
type Run = {
  options: MirrorOptions
  client: ThrottledClient
  /** The number of the run. */
  number: number
  report: MirrorReport
  seen: Set<number>
  /** Values in the list that are no ids. */
  invalid: Set<string>
  refused: number[]
  done: number
  total: number
}

/** Copies all listed passports of a source with their credentials. Unchanged ones are skipped by ETag. */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const { store, base, concurrency } = options
  const run: Run = {
    options,
    client: createThrottledClient(options),
    number: await store.mirror.begin(base),
    report: { copied: 0, unchanged: 0, gone: 0, removed: 0, failed: 0 },
    seen: new Set(),
    invalid: new Set(),
    refused: [],
    done: 0,
    total: 0,
  }
  let walks = 0
  do walks++
  while ((await walk(run)) && walks < MAX_WALKS)
  await copyUnlisted(run)
  await inParallel(run.refused, concurrency, (id) => copyNow(run, id, (error) => fail(run, id, error)))
  await store.mirror.end(base)
  return run.report
}

/** Copies all pages of the list; returns whether another walk may find more passports. */
async function walk(run: Run): Promise<boolean> {
  const { client, seen, options } = run
  const before = seen.size
  const walked = new Set<number>()
  let page = 1
  for (; ; page++) {
    const reply = await client.get(`/api/v1/passports?page=${page}&per_page=${PAGE_SIZE}`)
    if (reply.status !== 200 && page > 1) break
    const list = reply.status === 200 ? parseIds(reply.body) : undefined
    if (reply.status !== 200 || !list)
      throw new SourceError(`${options.base} has no list of passports (${reply.status}): check the URL.`)
    reportInvalid(run, list.invalid)
    const isRepeated = list.ids.every((id) => walked.has(id))
    const fresh = list.ids.filter((id) => !seen.has(id))
    for (const id of list.ids) {
      walked.add(id)
      seen.add(id)
    }
    const { last, count } = parsePagination(reply.body)
    run.total = Math.max(count, seen.size)
    await inParallel(fresh, options.concurrency, (id) => copy(run, id))
    // The last page of some sources is missing or wrong.
    if (isRepeated || (last !== undefined && page >= last)) break
  }
  return page > 1 && seen.size > before
}

function reportInvalid(run: Run, values: readonly string[]): void {
  for (const value of values) {
    if (run.invalid.has(value)) continue
    run.invalid.add(value)
    fail(run, value, new Error('the list has this passport_id, but ids are whole numbers from 0'))
  }
}

/** Passports of earlier runs that the list no longer has. */
async function copyUnlisted(run: Run): Promise<void> {
  const { store, base, concurrency } = run.options
  for (let after: number | undefined = -1; after !== undefined; ) {
    const unseen: number[] = await store.mirror.listUnseen(base, run.number, after, UNSEEN_BATCH)
    const unlisted = unseen.filter((id) => !run.seen.has(id))
    await inParallel(unlisted, concurrency, (id) => copy(run, id))
    after = unseen.at(-1)
  }
}

/** A refused record is retried at the end, when its wallet may be free. */
async function copy(run: Run, id: number): Promise<void> {
  await copyNow(run, id, () => run.refused.push(id))
  run.options.onProgress(++run.done, Math.max(run.total, run.done))
}

async function copyNow(run: Run, id: number, onRefused: (error: RecordError) => void): Promise<void> {
  try {
    const outcome = await copyPassport(run, id)
    if (outcome) run.report[outcome]++
  } catch (error) {
    if (error instanceof RecordError) onRefused(error)
    else if (error instanceof ResponseError) fail(run, id, error)
    else throw error
  }
}

function fail({ report, options }: Run, id: number | string, { message }: Error): void {
  report.failed++
  options.onFailure(id, message)
}

/** Returns undefined if this run has copied the passport before an interruption. */
async function copyPassport(
  { options, client, number: run }: Run,
  id: number,
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
