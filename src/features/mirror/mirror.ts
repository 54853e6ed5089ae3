import { isTooDeep } from '../../core/basics/text/quote.ts'
import {
  createThrottledGet,
  ResponseError,
  SourceError,
  type ThrottleOptions,
} from '../../core/cli/throttled-client.ts'
import { type ParseOptions, parseRecord } from '../../core/passport/parse-record.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import type { Store } from '../../core/store/store.ts'
import { removeCopies } from './remove-copies.ts'
import { MIRROR } from './statements.ts'
import { parseList, parseSurvivor, toLine } from './v1-response.ts'

export type MirrorReport = typeof NOTHING

const NOTHING = {
  copied: 0,
  unchanged: 0,
  /** Passports that were merged here, because the source has merged them. */
  merged: 0,
  /** Passports that were removed at the source, but not here. */
  gone: 0,
  /** Passports that were removed at the source and here. */
  pruned: 0,
  /** Passports that were not copied, because they were removed here. */
  removed: 0,
  failed: 0,
}

export type MirrorOptions = ThrottleOptions &
  Omit<ParseOptions, 'now'> & {
    store: Store
    concurrency: number
    restore: boolean
    /** The version of the source's API. */
    version: 1 | 2
    /** Whether to remove copies of passports that the source removed. `some` refuses if over half are gone. */
    prune: 'none' | 'some' | 'all'
    /** Called for each passport that is gone at the source, but must be kept here. */
    onKept: (id: number, reason: string) => void
    /** `id` is a text if the source has an invalid id. */
    onFailure: (id: number | string, reason: string) => void
    onProgress: (done: number, total: number) => void
  }

const PAGE_SIZE = 250
/** The list may shift while it is read. It is read until no new passport appears, at most this many times. */
const MAX_WALKS = 4
const UNSEEN_BATCH = 500

/** Stored instead of an ETag for a copy that was merged here because the source merged it. */
const MERGED = 'merged'

/** Precedes stored ETags of V2, because a source may have the same ETag for both versions. */
const V2_MARK = 'v2 '

/** The state of a run. */
type Run = Awaited<ReturnType<typeof begin>>

const begin = async (options: MirrorOptions) => ({
  options,
  get: createThrottledGet(options),
  /** The number of the run. */
  number: await options.store.data(MIRROR).begin(options.base),
  report: { ...NOTHING },
  seen: new Set<number>(),
  /** Values in the list that are no ids. */
  invalid: new Set<string>(),
  refused: [] as number[],
  /** The survivor of each unlisted passport that the source has merged. */
  merges: new Map<number, number>(),
  gone: new Set<number>(),
  /** The source failed to respond to some requests. */
  hasErrors: false,
  done: 0,
  total: 0,
})

/** Copies all listed passports of a source with their credentials. Passports with unchanged ETags are skipped. */
export async function mirror(options: MirrorOptions) {
  const run = await begin(options)
  let walks = 0
  do walks++
  while ((await walk(run)) && walks < MAX_WALKS)
  await copyUnlisted(run)
  // Merges and removals come before the retry of refused records, because they free wallets.
  await mergeCopies(run)
  const refusal = await prune(run)
  await inParallel(run.refused, options.concurrency, (id) =>
    copyNow(run, id, ({ message }) => fail(run, id, message)),
  )
  await options.store.data(MIRROR).end(options.base)
  /**
   * `gone`: the passports that are gone at the source and stay here. `refusal`: the reason why none of them was
   * removed.
   */
  return { report: { ...run.report, gone: run.gone.size }, gone: [...run.gone], refusal }
}

const listPath = ({ options }: Run, page: number, size: number) =>
  `/api/v${options.version}/passports?page=${page}&per_page=${size}`

/** Copies the passports on all pages of the list. Returns whether another walk may find more. */
async function walk(run: Run): Promise<boolean> {
  const { get, seen, options } = run
  const before = seen.size
  const walked = new Set<number>()
  let page = 1
  for (; ; page++) {
    const reply = await get(listPath(run, page, PAGE_SIZE))
    if (reply.status !== 200 && page > 1) break
    const list = reply.status === 200 ? parseList(reply.body) : undefined
    if (!list)
      throw new SourceError(`${options.base} has no list of passports (${reply.status}): check the URL.`)
    for (const value of list.invalid.difference(run.invalid))
      fail(run, value, 'the list has this passport_id, but ids are whole numbers from 0')
    run.invalid = run.invalid.union(list.invalid)
    const isRepeated = list.ids.isSubsetOf(walked)
    const fresh = [...list.ids.difference(seen)]
    for (const id of list.ids) {
      walked.add(id)
      seen.add(id)
    }
    run.total = Math.max(list.total, seen.size)
    await inParallel(fresh, options.concurrency, (id) => copy(run, id))
    // Some sources have no last_page, or a wrong one: a page without a new passport is the end, too.
    if (isRepeated || (list.last !== undefined && page >= list.last)) break
  }
  return page > 1 && seen.size > before
}

/** Requests the passports of earlier runs that are no longer in the list. */
async function copyUnlisted(run: Run): Promise<void> {
  const { store, base, concurrency } = run.options
  for (let after: number | undefined = -1; after !== undefined; ) {
    const unseen: number[] = await store.data(MIRROR).listUnseen(base, run.number, after, UNSEEN_BATCH)
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
    else if (error instanceof ResponseError) {
      run.hasErrors = true
      fail(run, id, error.message)
    } else throw error
  }
}

function fail({ report, options }: Run, id: number | string, reason: string): void {
  report.failed++
  options.onFailure(id, reason)
}

/** Returns undefined for a passport that is gone or merged, or that this run copied before it was interrupted. */
async function copyPassport(run: Run, id: number): Promise<keyof MirrorReport | undefined> {
  const { options, get, number, seen } = run
  const { store, base, version } = options
  const noted = await store.data(MIRROR).find(base, id)
  const isOfVersion = noted?.passportEtag.startsWith(V2_MARK) === (version === 2)
  const usable = isOfVersion && noted?.passportEtag !== MERGED ? noted : undefined
  if (usable?.run === number) return undefined
  const stored = await store.passports.find({ id })
  if (!stored && !seen.has(id)) return undefined
  // No ETag is sent if the passport is not stored, or is merged here and unlisted: a 304 would not name the survivor.
  const known = stored?.id === id || (stored && seen.has(id)) ? usable : undefined
  const passportPath = `/api/v${version}/passports/${id}`
  const credentialsPath = `/api/v${version}/passport_credentials?passport_id=${id}`
  const mark = version === 2 ? V2_MARK : ''
  let passport = await get(passportPath, known?.passportEtag.slice(mark.length))
  if (passport.status === 404) return addGone(run, id)
  let credentials = await get(credentialsPath, known?.credentialsEtag)
  if (passport.status === 304 && credentials.status === 304 && known) {
    await store.data(MIRROR).note(base, id, { ...known, run: number })
    return 'unchanged'
  }
  // A record needs both bodies, even if only one changed.
  if (passport.status === 304) passport = await get(passportPath)
  if (credentials.status === 304) credentials = await get(credentialsPath)
  if (passport.status !== 200) return addGone(run, id)
  const survivor = parseSurvivor(passport.body, passport.location, id)
  if (survivor !== id) return addGone(run, id, survivor)
  if (noted?.passportEtag === MERGED && stored && stored.id !== id) await store.passports.unmerge(id)
  const { body, etag } = credentials.status === 200 ? credentials : { body: undefined, etag: '' }
  // Run 0 marks a pruned passport. It is restored, because the source has it again.
  const restore = options.restore || noted?.run === 0
  const outcome = await saveCopied(toLine(id, passport.body, body), { ...options, restore })
  const note = { passportEtag: mark + passport.etag, credentialsEtag: etag, run: number }
  // Nothing is stored about a removed person, not even an ETag.
  if (outcome !== 'removed') await store.data(MIRROR).note(base, id, note)
  return outcome
}

/** A merged passport that is still listed counts as gone: it was merged a moment ago, or the source is wrong. */
function addGone({ seen, merges, gone }: Run, id: number, survivor?: number): undefined {
  if (survivor === undefined || seen.has(id)) gone.add(id)
  else merges.set(id, survivor)
}

/** Merges copies as the source has merged them. A copy that is already merged here must have the same survivor. */
async function mergeCopies(run: Run): Promise<void> {
  const { store, base } = run.options
  const find = async (id: number) => (await store.passports.find({ id }))?.id
  // Copies that are not merged here come first: merging one also moves the copies that are merged into it.
  const [first, last]: [number[], number[]] = [[], []]
  for (const id of run.merges.keys()) ((await find(id)) === id ? first : last).push(id)
  for (const id of [...first, ...last]) {
    const into = run.merges.get(id) as number
    const [here, survivor] = [await find(id), await find(into)]
    if (here === undefined || survivor === undefined || !run.seen.has(into))
      fail(run, id, `the source has merged it into passport ${into}, which was not copied`)
    else if (here === survivor) run.report.unchanged++
    else if (here !== id)
      fail(run, id, `it is merged into passport ${here} here, but into passport ${into} at the source`)
    else {
      await store.passports.merge(id, survivor)
      await store.data(MIRROR).note(base, id, { passportEtag: MERGED, credentialsEtag: '', run: run.number })
      run.report.merged++
    }
  }
}

/** Removes the copies of gone passports. If that is refused, returns the reason. */
async function prune(run: Run): Promise<string | undefined> {
  const { prune, store, base, now, onKept } = run.options
  const gone = run.gone.difference(run.seen)
  if (prune === 'none' || gone.size === 0) return undefined
  const refusal = await findRefusal(run, gone.size)
  if (refusal) return refusal
  const removed = await removeCopies(gone, { store, source: base, now, onKept })
  for (const id of removed) run.gone.delete(id)
  run.report.pruned = removed.length
  return undefined
}

async function findRefusal(run: Run, gone: number): Promise<string | undefined> {
  const { get, hasErrors, options } = run
  if (hasErrors) return 'some requests failed'
  const list = await get(listPath(run, 1, 1))
  if (list.status !== 200 || !parseList(list.body)) return 'the source no longer has a list of passports'
  const copies = await options.store.data(MIRROR).count(options.base)
  if (options.prune === 'all' || gone * 2 <= copies) return undefined
  return `${gone} of ${copies} copied passports are gone at the source; if that is right, use --prune-all`
}

async function saveCopied(line: object, options: MirrorOptions): Promise<keyof MirrorReport> {
  const now = options.now()
  const { record } = parseRecord(line, { ...options, now })
  if (isTooDeep(line)) throw new RecordError('passport', 'is nested too deeply')
  const source = new TextEncoder().encode(JSON.stringify(line))
  const incoming = record.kind === 'passport' ? { ...record, source } : record
  const [result] = await options.store.records.save([incoming], { now, restore: options.restore })
  if (result?.outcome === 'refused') throw new RecordError(result.field, result.reason)
  return result?.outcome === 'removed' || result?.outcome === 'unchanged' ? result.outcome : 'copied'
}

/** After a failure no further work starts, because the failing loop closes the generator that all loops share. */
async function inParallel<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>) {
  const rest = (function* () {
    yield* items
  })()
  const lane = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
}
