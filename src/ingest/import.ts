import type { IncomingRecord } from '../domain/record.ts'
import type { Problem } from '../domain/validation-problem.ts'
import type { Store } from '../store/store.ts'
import { readLines, type SourceLine } from './jsonl.ts'
import { type ParseOptions, parseRecord, RecordError } from './record.ts'

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

type Position = { file: string; line: SourceLine }
type Pending = Position & { record: IncomingRecord }

export async function importRecords(
  sources: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const counts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const report: ImportReport = { lines: 0, ...counts, refused: 0, unknownFields: 0 }
  let batch: Pending[] = []
  let batchBytes = 0
  /** Refused records: the store may accept them after later lines, which free a wallet or add a passport. */
  const deferred = new Map<unknown, { each: Pending; problem: Problem }>()
  const defer = (each: Pending, problem: Problem) => deferred.set(keyOf(each), { each, problem })

  function refuse({ file, line }: Position, { field, reason }: Problem): void {
    report.refused++
    const text = 'bytes' in line ? new TextDecoder().decode(line.bytes) : ''
    options.onRefusal({ file, line: line.number, field, reason, text })
  }

  function parse(file: string, line: SourceLine): void {
    report.lines++
    try {
      if ('reason' in line) throw new RecordError('', line.reason)
      const { record, unknownFields } = parseRecord(parseJson(line.bytes), options)
      report.unknownFields += unknownFields
      batch.push({
        file,
        line,
        record: record.kind === 'passport' ? { ...record, sourceBytes: line.bytes } : record,
      })
      batchBytes += line.bytes.length
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      refuse({ file, line }, error.problem)
    }
  }

  async function save(
    pending: readonly Pending[],
    onRefused: (each: Pending, problem: Problem) => void,
  ): Promise<void> {
    const fingerprintPrefix = options.rescore ? 'rescored ' : ''
    const records = pending.map(({ record }) => record)
    const results = await options.store.records.save(records, { ...options, fingerprintPrefix })
    for (const [at, each] of pending.entries()) {
      const result = results[at]
      if (result?.outcome === 'refused') onRefused(each, result)
      else if (result) {
        report[result.outcome]++
        // A later line about the same passport replaces a deferred one.
        deferred.delete(keyOf(each))
      }
    }
    options.onProgress(report)
  }

  async function flush(): Promise<void> {
    const pending = batch
    batch = []
    batchBytes = 0
    if (pending.length > 0)
      await save(pending, (each, problem) => {
        if (options.strict || deferred.size >= MOST_DEFERRED) refuse(each, problem)
        else defer(each, problem)
      })
  }

  /** Repeats while each round saves at least one record. */
  async function retryDeferred(): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; deferred.size > 0 && deferred.size < before; ) {
      before = deferred.size
      const again = [...deferred.values()].map(({ each }) => each)
      deferred.clear()
      for (let at = 0; at < again.length; at += BATCH) await save(again.slice(at, at + BATCH), defer)
    }
    for (const { each, problem } of deferred.values()) refuse(each, problem)
  }

  readAll: for (const { name, open } of sources) {
    for await (const lines of readLines(open())) {
      for (const line of lines) {
        parse(name, line)
        if (batch.length === BATCH || batchBytes > BATCH_BYTES) await flush()
        if (options.strict && report.refused > 0) break readAll
      }
    }
  }
  await flush()
  await retryDeferred()
  return report
}

/** The last line about a passport wins. */
const keyOf = (each: Pending): unknown => (each.record.kind === 'passport' ? each.record.passport.id : each)

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
