import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { DataPoint } from '../../core/passport/data-point.ts'
import { type ParseOptions, parseLine } from '../../core/passport/parse-record.ts'
import type { IncomingRecord } from '../../core/passport/record.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import type { Problem } from '../../core/passport/validation-problem.ts'
import type { Store } from '../../core/store/store.ts'
import type { SaveRecords } from '../../core/store/write/record-writer.ts'

export type Source = { name: string; open: () => AsyncIterable<Uint8Array> }

export type Refusal = Problem & { file: string; line: number; text: string }

export type ImportReport = ReturnType<typeof emptyReport>

const emptyReport = () => ({
  lines: 0,
  added: 0,
  changed: 0,
  unchanged: 0,
  /** Records that were ignored, because their passports were removed. */
  removed: 0,
  refused: 0,
  unknownFields: 0,
  /** Types without a rule, at most 1000: those of data points and of unscored credentials. */
  typesWithoutRule: new Set<string>(),
})

type ImportOptions = ParseOptions & {
  store: Store
  restore: boolean
  dryRun: boolean
  strict: boolean
  /** Ends the import: batches that are saved stay. */
  signal?: AbortSignal | undefined
  onRefusal: (refusal: Refusal) => void
  onProgress: (report: ImportReport) => void
}

/** Records per transaction: large enough to be fast, small enough to let other processes write in between. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024

/** At most this many refused records are held for a retry; further refusals are reported at once. */
const MOST_DEFERRED = 20_000

const MOST_TYPES = 1000

type Position = { file: string; line: SourceLine }
type Pending = Position & { record: IncomingRecord }

type Run = ReturnType<typeof begin>

/** Imports all lines of all sources; refused lines are reported. */
export function importRecords(sources: readonly Source[], options: ImportOptions): Promise<ImportReport> {
  const { records } = options.store
  async function importWith(save: SaveRecords): Promise<ImportReport> {
    const run = begin(save, options)
    await readAll(run, sources)
    if (options.signal?.aborted) return run.report
    await saveBatch(run)
    await retryDeferred(run)
    return run.report
  }
  return options.dryRun ? records.rollBack(importWith) : importWith(records.save)
}

function begin(saveRecords: SaveRecords, importOptions: ImportOptions) {
  const report = emptyReport()
  const { typesWithoutRule } = report
  const rawKindOf: ImportOptions['rawKindOf'] = (type) => {
    const kind = importOptions.rawKindOf(type)
    if (kind === undefined && typesWithoutRule.size < MOST_TYPES) typesWithoutRule.add(type)
    return kind
  }
  return {
    options: { ...importOptions, rawKindOf },
    saveRecords,
    report,
    batch: [] as Pending[],
    batchBytes: 0,
    /** Refused records to retry at the end: a later line may free their wallet or add their passport. */
    deferred: new Map<unknown, { entry: Pending; problem: Problem }>(),
  }
}

async function readAll(run: Run, sources: readonly Source[]): Promise<void> {
  for (const { name, open } of sources) {
    for await (const lines of readLines(open())) {
      for (const line of lines) {
        if (run.options.signal?.aborted) return
        parse(run, name, line)
        if (run.batch.length === BATCH || run.batchBytes > BATCH_BYTES) await saveBatch(run)
        if (run.options.strict && run.report.refused > 0) return
      }
    }
  }
}

function parse(run: Run, file: string, line: SourceLine): void {
  run.report.lines++
  try {
    if ('reason' in line) throw new RecordError('', line.reason)
    const { record, unknownFields } = parseLine(line.bytes, run.options)
    run.report.unknownFields += unknownFields
    for (const { type } of dataPointsOf(record)) run.options.rawKindOf(type)
    run.batch.push({ file, line, record })
    run.batchBytes += line.bytes.length
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    refuseLine(run, { file, line }, error.problem)
  }
}

function dataPointsOf(record: IncomingRecord): readonly DataPoint[] {
  if (record.kind === 'data-point') return [record.point]
  return record.kind === 'passport' ? (record.passport.dataPoints ?? []) : []
}

function refuseLine({ report, options }: Run, { file, line }: Position, { field, reason }: Problem): void {
  report.refused++
  const text = 'bytes' in line ? new TextDecoder().decode(line.bytes) : ''
  options.onRefusal({ file, line: line.number, field, reason, text })
}

async function saveLines(run: Run, pending: readonly Pending[]): Promise<void> {
  const { options, report, deferred } = run
  const fingerprintPrefix = options.rescore ? 'rescored ' : ''
  const records = pending.map(({ record }) => record)
  const results = await run.saveRecords(records, { ...options, fingerprintPrefix })
  for (const [at, entry] of pending.entries()) {
    const result = results[at]
    if (result?.outcome === 'refused') {
      if (options.strict || deferred.size >= MOST_DEFERRED) refuseLine(run, entry, result)
      else deferred.set(keyOf(entry), { entry, problem: result })
    } else if (result) {
      report[result.outcome]++
      // Drops deferred lines about the same passport, and about passports that this line removed.
      for (const key of [keyOf(entry), ...(result.removedIds ?? [])]) deferred.delete(key)
    }
  }
  options.onProgress(report)
}

async function saveBatch(run: Run): Promise<void> {
  const pending = run.batch
  run.batch = []
  run.batchBytes = 0
  if (pending.length > 0) await saveLines(run, pending)
}

/** Retries all refused records, until a round saves none of them. */
async function retryDeferred(run: Run): Promise<void> {
  const { deferred } = run
  for (let before = Number.POSITIVE_INFINITY; deferred.size > 0 && deferred.size < before; ) {
    before = deferred.size
    const again = [...deferred.values()].map(({ entry }) => entry)
    deferred.clear()
    for (let at = 0; at < again.length; at += BATCH) await saveLines(run, again.slice(at, at + BATCH))
  }
  for (const { entry, problem } of deferred.values()) refuseLine(run, entry, problem)
}

/** Only the last deferred line with the same key is retried. Each data point is its own key, so all are retried. */
function keyOf(entry: Pending): unknown {
  const { record } = entry
  if (record.kind === 'passport') return record.passport.id
  return record.kind === 'removal' ? record.id : entry
}

export type SourceLine = { number: number; bytes: Uint8Array } | { number: number; reason: string }

/** Longer lines are refused, and are not buffered. */
export const LONGEST_LINE = 4 * 1024 * 1024

const NEWLINE = 10

/**
 * Yields the lines of a plain or gzip source in batches, without blank lines. If the source fails, the last item has
 * the reason.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourceLine[]> {
  let number = 1
  let parts: Uint8Array[] = []
  let partsLength = 0

  function hold(part: Uint8Array): void {
    partsLength += part.length
    if (partsLength > LONGEST_LINE) parts = []
    // Copied, because the source may reuse its buffer.
    else if (part.length > 0) parts.push(part.slice())
  }

  function endLine(part: Uint8Array): SourceLine[] {
    const length = partsLength + part.length
    const bytes = parts.length === 0 ? part : Buffer.concat([...parts, part])
    parts = []
    partsLength = 0
    const line = { number: number++ }
    if (length > LONGEST_LINE)
      return [{ ...line, reason: `is longer than ${LONGEST_LINE / 1024 / 1024} MiB` }]
    return isBlank(bytes) ? [] : [{ ...line, bytes }]
  }

  try {
    for await (const chunk of await unpack(source)) {
      const lines: SourceLine[] = []
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(...endLine(chunk.subarray(start, end)))
        start = end + 1
      }
      hold(chunk.subarray(start))
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    yield [{ number, reason: `cannot be read any further: ${(error as Error).message}` }]
    return
  }
  if (partsLength > 0) yield endLine(new Uint8Array(0))
}

const isBlank = (bytes: Uint8Array) =>
  bytes.length < 64 && bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)

/** Detects gzip by its first two bytes, not by the file name. */
async function unpack(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]()
  let head = new Uint8Array(0)
  while (head.length < 2) {
    const { value, done } = await iterator.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const bytes = chain(head, iterator)
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes
  return pipeline(bytes, createGunzip(), () => undefined)
}

async function* chain(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}
