import type { DataPoint } from '../domain/data-point.ts'
import { type ParseOptions, parseRecord, RecordError } from '../domain/record/parse-record.ts'
import type { IncomingRecord } from '../domain/record/record.ts'
import type { Problem } from '../domain/record/validation-problem.ts'
import type { SaveRecords, Store } from '../store/store.ts'
import { readLines, type SourceLine } from './jsonl.ts'

export type Source = { name: string; open: () => AsyncIterable<Uint8Array> }

export type Refusal = Problem & { file: string; line: number; text: string }

export type ImportReport = {
  lines: number
  added: number
  changed: number
  unchanged: number
  /** Records of passports that were removed. */
  removed: number
  refused: number
  unknownFields: number
  /** Types of data points and of credentials without a score; the first 1000. */
  typesWithoutRule: Set<string>
}

type ImportOptions = ParseOptions & {
  store: Store
  restore: boolean
  dryRun: boolean
  strict: boolean
  onRefusal: (refusal: Refusal) => void
  onProgress: (report: ImportReport) => void
}

/** Records per transaction: large enough to be fast, small enough to let other processes write in between. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024

/** Refused records held for a retry; further ones are reported at once. */
const MOST_DEFERRED = 20_000

const MOST_TYPES = 1000

type Position = { file: string; line: SourceLine }
type Pending = Position & { record: IncomingRecord }
type Refuse = (each: Pending, problem: Problem) => void

/** The state of an import. */
type Run = {
  options: ImportOptions
  saveRecords: SaveRecords
  report: ImportReport
  batch: Pending[]
  batchBytes: number
  /** Refused records: the store may accept them after later lines, which free a wallet or add a passport. */
  deferred: Map<unknown, { each: Pending; problem: Problem }>
}

/** Imports all lines of all sources; refused lines are reported. */
export function importRecords(sources: readonly Source[], options: ImportOptions): Promise<ImportReport> {
  const { records } = options.store
  if (options.dryRun) return records.rollBack((save) => importWith(save, sources, options))
  return importWith(records.save, sources, options)
}

async function importWith(
  saveRecords: SaveRecords,
  sources: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const counts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const typesWithoutRule = new Set<string>()
  const report: ImportReport = { lines: 0, ...counts, refused: 0, unknownFields: 0, typesWithoutRule }
  const rawKindOf: ImportOptions['rawKindOf'] = (type) => {
    const kind = options.rawKindOf(type)
    if (kind === undefined && typesWithoutRule.size < MOST_TYPES) typesWithoutRule.add(type)
    return kind
  }
  const run: Run = {
    options: { ...options, rawKindOf },
    saveRecords,
    report,
    batch: [],
    batchBytes: 0,
    deferred: new Map(),
  }
  await readAll(run, sources)
  await saveBatch(run)
  await retryDeferred(run)
  return report
}

async function readAll(run: Run, sources: readonly Source[]): Promise<void> {
  for (const { name, open } of sources) {
    for await (const lines of readLines(open())) {
      for (const line of lines) {
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
    const { record, unknownFields } = parseRecord(parseJson(line.bytes), run.options)
    run.report.unknownFields += unknownFields
    for (const { type } of pointsOf(record)) run.options.rawKindOf(type)
    run.batch.push({
      file,
      line,
      record: record.kind === 'passport' ? { ...record, sourceBytes: line.bytes } : record,
    })
    run.batchBytes += line.bytes.length
  } catch (error) {
    if (!(error instanceof RecordError)) throw error
    refuse(run, { file, line }, error.problem)
  }
}

function pointsOf(record: IncomingRecord): readonly DataPoint[] {
  if (record.kind === 'data-point') return [record.point]
  return record.kind === 'passport' ? (record.passport.dataPoints ?? []) : []
}

function refuse({ report, options }: Run, { file, line }: Position, { field, reason }: Problem): void {
  report.refused++
  const text = 'bytes' in line ? new TextDecoder().decode(line.bytes) : ''
  options.onRefusal({ file, line: line.number, field, reason, text })
}

async function save(run: Run, pending: readonly Pending[], onRefused: Refuse): Promise<void> {
  const { options, report, deferred } = run
  const fingerprintPrefix = options.rescore ? 'rescored ' : ''
  const records = pending.map(({ record }) => record)
  const results = await run.saveRecords(records, { ...options, fingerprintPrefix })
  for (const [at, each] of pending.entries()) {
    const result = results[at]
    if (result?.outcome === 'refused') onRefused(each, result)
    else if (result) {
      report[result.outcome]++
      // A later line about the same passport, or the removal of its survivor, replaces a deferred line.
      for (const key of [keyOf(each), ...(result.removedIds ?? [])]) deferred.delete(key)
    }
  }
  options.onProgress(report)
}

async function saveBatch(run: Run): Promise<void> {
  const pending = run.batch
  run.batch = []
  run.batchBytes = 0
  if (pending.length === 0) return
  await save(run, pending, (each, problem) => {
    if (run.options.strict || run.deferred.size >= MOST_DEFERRED) refuse(run, each, problem)
    else run.deferred.set(keyOf(each), { each, problem })
  })
}

/** Repeats while each round saves at least one record. */
async function retryDeferred(run: Run): Promise<void> {
  const { deferred } = run
  const defer: Refuse = (each, problem) => deferred.set(keyOf(each), { each, problem })
  for (let before = Number.POSITIVE_INFINITY; deferred.size > 0 && deferred.size < before; ) {
    before = deferred.size
    const again = [...deferred.values()].map(({ each }) => each)
    deferred.clear()
    for (let at = 0; at < again.length; at += BATCH) await save(run, again.slice(at, at + BATCH), defer)
  }
  for (const { each, problem } of deferred.values()) refuse(run, each, problem)
}

/** The last passport or removal of an id wins; data points do not replace each other. */
function keyOf(each: Pending): unknown {
  const { record } = each
  if (record.kind === 'passport') return record.passport.id
  return record.kind === 'removal' ? record.id : each
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw new RecordError('', 'is not UTF-8')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new RecordError('', `is not JSON: ${(error as Error).message.replace('JSON Parse error: ', '')}`)
  }
}
