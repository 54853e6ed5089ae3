import type { Problem } from '../domain/problem.ts'
import type { IncomingRecord } from '../domain/record.ts'
import type { SaveResult, Store } from '../store/store.ts'
import { type Line, readLines } from './lines.ts'
import { type ParseOptions, parseRecord, RecordError } from './record.ts'

export type Source = { name: string; open: () => AsyncIterable<Uint8Array> }

/** A line that was not taken in. */
export type Refusal = Problem & { file: string; line: number; text: string }

export type ImportReport = {
  lines: number
  added: number
  changed: number
  unchanged: number
  /** Records of passports that were removed. */
  barred: number
  refused: number
  unknownFields: number
}

export type ImportOptions = ParseOptions & {
  store: Store
  restore: boolean
  /** Writes nothing. */
  dryRun: boolean
  /** Stops at the first refusal. */
  strict: boolean
  onRefusal: (refusal: Refusal) => void
  /** After each batch. */
  onProgress: (report: ImportReport) => void
}

/** Records in one transaction: large enough to be fast, small enough for others to write in between. */
const BATCH = 500
const BATCH_BYTES = 8 * 1024 * 1024

/** Refusals that are held for a second look; more are reported at once. */
const MOST_DEFERRED = 20_000

type Pending = { record: IncomingRecord; file: string; line: Line & { bytes: Uint8Array } }

/** Takes in every line of every source. What is refused is reported, and the rest is kept. */
export async function importRecords(
  sources: readonly Source[],
  options: ImportOptions,
): Promise<ImportReport> {
  const report: ImportReport = {
    lines: 0,
    added: 0,
    changed: 0,
    unchanged: 0,
    barred: 0,
    refused: 0,
    unknownFields: 0,
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let batch: Pending[] = []
  let batchBytes = 0
  const deferred = new Map<unknown, { each: Pending; problem: Problem }>()

  function refuse(file: string, line: number, { field, reason }: Problem, bytes?: Uint8Array): void {
    report.refused++
    const text = bytes ? new TextDecoder().decode(bytes) : ''
    options.onRefusal({ file, line, field, reason, text })
  }

  function parse(file: string, line: Line): void {
    report.lines++
    if ('reason' in line) {
      refuse(file, line.number, { field: '', reason: line.reason })
      return
    }
    try {
      const { record, unknownFields } = parseRecord(parseJson(decoder, line.bytes), options)
      report.unknownFields += unknownFields
      batch.push({
        record: record.kind === 'passport' ? { ...record, origin: line.bytes } : record,
        file,
        line,
      })
      batchBytes += line.bytes.length
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      refuse(file, line.number, error.problem, line.bytes)
    }
  }

  async function save(pending: readonly Pending[], onRefused: (each: Pending, problem: Problem) => void) {
    const reading = options.rescore ? 'rescored ' : ''
    const records = pending.map(({ record }) => record)
    const results = await options.store.records.save(records, { ...options, reading })
    results.forEach((result: SaveResult, at) => {
      const each = pending[at] as Pending
      if (result.outcome === 'refused') {
        onRefused(each, result)
      } else {
        report[result.outcome]++
        // Where an earlier line about the same passport waits, it has nothing more to say.
        deferred.delete(keyOf(each))
      }
    })
    options.onProgress(report)
  }

  async function flush(): Promise<void> {
    const saved = batch
    batch = []
    batchBytes = 0
    if (saved.length === 0) return
    await save(saved, (each, problem) => {
      if (options.strict || deferred.size >= MOST_DEFERRED) refusePending(each, problem)
      else deferred.set(keyOf(each), { each, problem })
    })
  }

  /** What the store refuses now it may take later: a wallet is set free, a passport comes further down. */
  async function retryDeferred(): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; deferred.size > 0 && deferred.size < before; ) {
      before = deferred.size
      const again = [...deferred.values()].map(({ each }) => each)
      deferred.clear()
      for (let at = 0; at < again.length; at += BATCH) {
        await save(again.slice(at, at + BATCH), (each, problem) =>
          deferred.set(keyOf(each), { each, problem }),
        )
      }
    }
    for (const { each, problem } of deferred.values()) refusePending(each, problem)
  }

  const refusePending = ({ file, line }: Pending, problem: Problem) =>
    refuse(file, line.number, problem, line.bytes)

  const mustStop = () => options.strict && report.refused > 0
  for (const { name, open } of sources) {
    for await (const lines of readLines(open())) {
      for (const line of lines) {
        parse(name, line)
        if (batch.length === BATCH || batchBytes > BATCH_BYTES) await flush()
        if (mustStop()) break
      }
      if (mustStop()) break
    }
    await flush()
    if (mustStop()) break
  }
  await retryDeferred()
  return report
}

/** Of two lines about one passport the later one counts. */
const keyOf = (each: Pending): unknown => (each.record.kind === 'passport' ? each.record.passport.id : each)

function parseJson(decoder: TextDecoder, bytes: Uint8Array): unknown {
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
