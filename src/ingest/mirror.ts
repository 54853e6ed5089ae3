import { isTooDeep } from '../domain/quote.ts'
import type { Store } from '../store/store.ts'
import { AnswerError, createPoliteClient, type PoliteOptions, SourceError } from './polite-client.ts'
import { type ParseOptions, parseRecord, RecordError } from './record.ts'
import { parseAnsweredId, parseIds, parsePagination, toLine } from './v1-answer.ts'

export type MirrorReport = {
  copied: number
  unchanged: number
  /** The source no longer has them, or has them merged into others; our copies stay. */
  gone: number
  /** Of passports that were removed here. */
  barred: number
  failed: number
}

export type MirrorOptions = PoliteOptions &
  Omit<ParseOptions, 'now'> & {
    store: Store
    concurrency: number
    restore: boolean
    onFailure: (id: number, reason: string) => void
    onProgress: (done: number, total: number) => void
  }

const PAGE_SIZE = 250
/** A list that shifts while it is walked is walked again, until nothing new turns up. */
const WALKS = 4
const UNSEEN = 500

/** Copies every passport that the source lists, with its credentials; those it has copied before only where they changed. */
export async function mirror(options: MirrorOptions): Promise<MirrorReport> {
  const { store, base, concurrency, onFailure, onProgress } = options
  const client = createPoliteClient(options)
  const run = await store.mirror.begin(base)
  const report: MirrorReport = { copied: 0, unchanged: 0, gone: 0, barred: 0, failed: 0 }
  const seen = new Set<number>()
  const refused: number[] = []
  let done = 0
  let total = 0

  /** A record that is refused has a second chance at the end: its wallet may be set free by then. */
  async function copy(id: number): Promise<void> {
    const reason = await tryCopy(id)
    if (reason instanceof RecordError) refused.push(id)
    else if (reason) fail(id, reason)
    onProgress(++done, Math.max(total, done))
  }

  async function copyAgain(id: number): Promise<void> {
    const reason = await tryCopy(id)
    if (reason) fail(id, reason)
  }

  function fail(id: number, reason: Error): void {
    report.failed++
    onFailure(id, reason.message)
  }

  /** Gives back what speaks against this passport; whatever concerns all of them is thrown. */
  async function tryCopy(id: number): Promise<RecordError | AnswerError | undefined> {
    try {
      const known = await store.mirror.find(base, id)
      // An earlier process of the same run did this one.
      if (known?.run === run) return undefined
      // What is not here any more must be asked for anew.
      const isHere = known && (await store.passports.find({ id })) !== undefined
      report[await copyPassport(id, isHere ? known : undefined)]++
      return undefined
    } catch (error) {
      if (error instanceof RecordError || error instanceof AnswerError) return error
      throw error
    }
  }

  async function copyPassport(
    id: number,
    known: { passportEtag: string; credentialsEtag: string } | undefined,
  ): Promise<keyof MirrorReport> {
    const paths = {
      passport: `/api/v1/passports/${id}`,
      credentials: `/api/v1/passport_credentials?passport_id=${id}`,
    }
    let passport = await client.get(paths.passport, known?.passportEtag)
    if (passport.status === 404) return 'gone'
    let credentials = await client.get(paths.credentials, known?.credentialsEtag)
    if (passport.status === 304 && credentials.status === 304 && known) {
      await store.mirror.note(base, id, { ...known, run })
      return 'unchanged'
    }
    // One of them changed: a record is written whole.
    if (passport.status === 304) passport = await client.get(paths.passport)
    if (credentials.status === 304) credentials = await client.get(paths.credentials)
    if (passport.status !== 200 || parseAnsweredId(passport.body, id) !== id) return 'gone'
    const outcome = await save(id, passport.body, credentials.status === 200 ? credentials.body : undefined)
    const credentialsEtag = credentials.status === 200 ? credentials.etag : ''
    await store.mirror.note(base, id, { passportEtag: passport.etag, credentialsEtag, run })
    return outcome
  }

  async function save(id: number, passport: unknown, credentials: unknown): Promise<keyof MirrorReport> {
    const now = options.now()
    const line = toLine(id, passport, credentials)
    const { record } = parseRecord(line, { ...options, now })
    if (isTooDeep(line)) throw new RecordError('passport', 'is nested too deeply')
    const origin = new TextEncoder().encode(JSON.stringify(line))
    const incoming = record.kind === 'passport' ? { ...record, origin } : record
    const [result] = await store.records.save([incoming], { now, restore: options.restore })
    if (result?.outcome === 'refused') throw new RecordError(result.field, result.reason)
    if (result?.outcome === 'barred') return 'barred'
    return result?.outcome === 'unchanged' ? 'unchanged' : 'copied'
  }

  /** Copies what the list names; tells whether another walk might find more. */
  async function walk(): Promise<boolean> {
    const before = seen.size
    const walked = new Set<number>()
    let page = 1
    for (; ; page++) {
      const reply = await client.get(`/api/v1/passports?page=${page}&per_page=${PAGE_SIZE}`)
      if (reply.status !== 200 && page > 1) break
      const ids = reply.status === 200 ? parseIds(reply.body) : undefined
      if (reply.status !== 200 || !ids)
        throw new SourceError(`${base} has no list of passports (${reply.status}): is the address right?`)
      const isRepeated = ids.every((id) => walked.has(id))
      const fresh = ids.filter((id) => !seen.has(id))
      for (const id of ids) {
        walked.add(id)
        seen.add(id)
      }
      const { last, count } = parsePagination(reply.body)
      total = Math.max(count, seen.size)
      await inParallel(fresh, concurrency, copy)
      // Not every source tells a last page, or the truth about it.
      if (isRepeated || (last !== undefined && page >= last)) break
    }
    return page > 1 && seen.size > before
  }

  let walks = 0
  do walks++
  while ((await walk()) && walks < WALKS)

  for (let after = -1; ; ) {
    const unseen = await store.mirror.listUnseen(base, run, after, UNSEEN)
    if (unseen.length === 0) break
    await inParallel(
      unseen.filter((id) => !seen.has(id)),
      concurrency,
      copy,
    )
    after = unseen.at(-1) as number
  }
  await inParallel(refused, concurrency, copyAgain)
  await store.mirror.end(base)
  return report
}

/** When one fails, the others begin nothing more. */
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
