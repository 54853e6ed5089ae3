import { createHash } from 'node:crypto'
import type { Store } from '../../core/store/store.ts'
import { COPY, type CopyableTable, type CopyKey } from './statements.ts'

/** Rows per batch: few at first, then as many as fit into `LARGEST_BYTES`. */
const FIRST_BATCH = 50
const LARGEST_BATCH = 500
const LARGEST_BYTES = 8 * 1024 * 1024

type ReadOptions = {
  signal: AbortSignal
  /** Called after each batch. Each table is read three times: once to copy it, then once per side to compare them. */
  onProgress: (table: string, rows: number) => void
}

export type TableReport = {
  name: string
  count: number
  /** Rows that were written or deleted. */
  written: number
  checksum: string
  isSame: boolean
}

/**
 * Makes the contents of `to` equal to those of `from`, then reads and compares both. Only differences are written, so
 * that an interrupted copy can be continued, and a repeated copy catches up.
 */
export async function copyStore(options: ReadOptions & { from: Store; to: Store }): Promise<TableReport[]> {
  const { from, to } = options
  const targets = new Map((await to.data(COPY).listTables()).map((table) => [table.name, table]))
  // A table that an operator has added to one of the databases is not copied.
  const pairs = (await from.data(COPY).listTables()).flatMap((source) => {
    const target = targets.get(source.name)
    return target ? [{ source, target }] : []
  })
  const written: number[] = []
  for (const { source, target } of pairs) written.push(await copyTable(source, target, options))
  const reports: TableReport[] = []
  for (const [at, { source, target }] of pairs.entries()) {
    const { count, checksum } = await digestTable(source, options)
    const isSame = checksum === (await digestTable(target, options)).checksum
    reports.push({ name: source.name, count, written: written[at] ?? 0, checksum, isSame })
  }
  return reports
}

/** Returns the number of rows that were written or deleted. */
async function copyTable(
  source: CopyableTable,
  target: CopyableTable,
  options: ReadOptions,
): Promise<number> {
  let written = 0
  for await (const { rows, lines, after, until, limit } of readBatches(source, options)) {
    const existing = await target.list({ after, until, limit: limit + 1 })
    if (lines.join() === existing.map((row) => JSON.stringify(row)).join()) continue
    await target.replace({ after, until }, rows)
    written += Math.max(rows.length, existing.length)
  }
  return written
}

async function digestTable(table: CopyableTable, options: ReadOptions) {
  const hash = createHash('sha256')
  let count = 0
  for await (const { lines } of readBatches(table, options)) {
    for (const line of lines) hash.update(`${line}\n`)
    count += lines.length
  }
  return { count, checksum: hash.digest('hex') }
}

/** The last batch has no `until`, so that `copyTable` deletes all later rows of the target. */
async function* readBatches({ name, keyOf, list }: CopyableTable, { signal, onProgress }: ReadOptions) {
  let after: CopyKey | undefined
  let limit = FIRST_BATCH
  for (;;) {
    // SQLite is synchronous: without a turn of the event loop, the process would not notice a signal.
    await new Promise(setImmediate)
    signal.throwIfAborted()
    const rows = await list({ after, limit })
    const last = rows.at(-1)
    const until = last && rows.length === limit ? keyOf(last) : undefined
    const lines = rows.map((row) => JSON.stringify(row))
    yield { rows, lines, after, until, limit }
    onProgress(name, rows.length)
    if (until === undefined) return
    after = until
    const bytesPerRow = lines.reduce((sum, line) => sum + line.length, 0) / lines.length
    limit = Math.max(1, Math.min(LARGEST_BATCH, Math.floor(LARGEST_BYTES / bytesPerRow)))
  }
}
