import type { Database as File, SQLQueryBindings } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { createTurns } from '../../../basics/awaitable.ts'
import { FileFaultError } from '../../../basics/errors.ts'
import { fileIdentity } from '../../../basics/write-atomically.ts'
import type { Connection, Database, Lookup, Query } from '../../sql/connection.ts'
import { createTranslation } from '../../sql/words.ts'
import { runWhenFree, translateErrors } from './connect.ts'
import { sizeOf, walOf } from './wal-checks.ts'

export const translate = createTranslation({
  LIST: (parameter) => `json_each(${parameter}) as list`,
  LOCK: '',
  SKIP: '',
  COLUMNS: `(
    select tables.name as "table", columns.name as "column", columns.pk as key
    from sqlite_schema as tables, pragma_table_info(tables.name) as columns
    where tables.type = 'table' and tables.name not like 'sqlite@_%' escape '@'
  ) as columns`,
  INT: 'integer',
  REAL: 'real',
  KEY: 'text',
  ROWS: 'strict',
  PAIRS: 'strict, without rowid',
  NOW: "cast(unixepoch('subsec') * 1000 as integer)",
})

type Options = {
  reader: File
  /** Its short reads share a transaction. */
  shared: File
  writer: File
  /** Throws if the file was replaced, because a write would be lost. */
  checkFiles: () => void
}

/** Writes run one after another, and so do snapshots. Otherwise a statement would join another call's transaction. */
export function createDatabase(path: string, { reader, shared, writer, checkFiles }: Options) {
  writer.run(`pragma busy_timeout = ${LOCK_MILLISECONDS}`)
  const [readInTurn, writeInTurn] = [createTurns(), createTurns()]
  const wal = createWalLimit(path, writer)
  const connection = createConnection(path, writer)
  const read = createConnection(path, reader)
  const reads = createSharedReads(path, shared)

  const transaction: Database['transaction'] = (work) =>
    writeInTurn(() =>
      translateErrors(path, async () => {
        checkFiles()
        // Truncates the WAL before the write, because a disk fault after the write would make a committed write fail.
        wal.limit(reads.end)
        let isErased = false
        const eraseRemoved = () => {
          isErased = true
        }
        const result = await inTransaction(writer, 'begin immediate', () =>
          work({ ...connection, eraseRemoved }),
        )
        // Later reads see the write.
        reads.end()
        if (isErased) wal.erase()
        // A write to a deleted file is not acknowledged.
        checkFiles()
        return result
      }),
    )
  const database: Database = {
    lookup: reads.lookup,
    read,
    long: read,
    write: (...statement) => transaction(({ query }) => query(...statement)),
    transaction,
    snapshot: (work) =>
      readInTurn(() => translateErrors(path, () => inTransaction(reader, 'begin', () => work(read)))),
  }
  async function idle(): Promise<void> {
    await Promise.all([writeInTurn(noWork), readInTurn(noWork)])
    reads.end()
  }
  return { ...database, idle }
}

const noWork = async () => undefined

export async function inTransaction<T>(file: File, begin: string, work: () => Promise<T>): Promise<T> {
  await runWhenFree(file, begin)
  try {
    const result = await work()
    file.run('commit')
    return result
  } catch (error) {
    try {
      // Some errors end the transaction, so that there is nothing to roll back.
      if (file.inTransaction) file.run('rollback')
    } catch {
      // The first error is thrown below: it tells the cause.
    }
    throw error
  }
}

/** How long an attempt to get the lock blocks the thread. */
const LOCK_MILLISECONDS = 1

type Row = Record<string, unknown>

/** How long reads share a transaction. Writes of other connections become visible after this time. */
const LIFE_MILLISECONDS = 5

/** Consecutive reads share a transaction, which is faster. */
function createSharedReads(path: string, file: File) {
  const prepare = createStatements(file)
  let endsAt = 0
  function end(): void {
    // The file may be closed, and an error may have ended the transaction.
    if (endsAt > 0 && file.inTransaction) file.run('rollback')
    endsAt = 0
  }
  const lookup: Lookup = <Row>(text: string, values: readonly unknown[] = []) =>
    translateErrors(path, () => {
      const now = performance.now()
      if (now >= endsAt) {
        end()
        file.run('begin')
        endsAt = now + LIFE_MILLISECONDS
        // An open transaction would block checkpoints of the WAL.
        setTimeout(end, LIFE_MILLISECONDS)
      }
      return prepare(text).all(...values.map(toBinding)) as Row[]
    })
  return { lookup, end }
}

export function createConnection(path: string, file: File): Connection {
  const prepare = createStatements(file)
  const query: Query = <Row>(text: string, values: readonly unknown[] = []) =>
    translateErrors(path, async () => prepare(text).all(...values.map(toBinding)) as Row[])
  return {
    query,
    async insertRows<Result>(table: string, rows: readonly object[], conflict = '') {
      const results: Result[] = []
      if (rows.length === 0) return results
      const columns = Object.keys(rows[0] ?? {})
      const values = columns.map((_, at) => `$${at + 1}`)
      const statement = prepare(`insert into ${table} (${columns}) values (${values}) ${conflict}`)
      for (const row of rows as Row[]) {
        const bindings = columns.map((name) => toBinding(row[name]))
        results.push(...(statement.all(...bindings) as Result[]))
      }
      return results
    },
  }
}

/** Prepares each statement once. Closing the database finalizes statements of `query`, but not those of `prepare`. */
function createStatements(file: File) {
  const statements = new Map<string, ReturnType<typeof file.query<unknown, SQLQueryBindings[]>>>()
  return (text: string) => statements.getOrInsertComputed(text, () => file.query(toSqlite(text)))
}

/** SQLite binds `$1` by its order in the statement, but `?1` by its number. */
const toSqlite = (text: string) => translate(text).replace(/\$(\d+)/g, '?$1')

const toBinding = (value: unknown) =>
  (Array.isArray(value) ? JSON.stringify(value) : value) as SQLQueryBindings

/** A larger WAL is truncated. The automatic checkpoints of SQLite, at 16 MB, do not finish while reads overlap. */
const LARGEST_BYTES = 32 * 1024 * 1024

/** How long a checkpoint waits for readers, and the pause after it failed. A backup reads for minutes. */
const READER_WAIT_MILLISECONDS = 1000
const PAUSE_MILLISECONDS = 20_000

/** Limits the WAL. While read transactions overlap, SQLite's automatic checkpoints never finish. */
export function createWalLimit(path: string, writer: File) {
  let checkAt = 0
  /** Another process reads the database, so that the WAL still has copies of removed rows. */
  let isErasing = false
  return {
    limit(endReads: () => void): void {
      const now = performance.now()
      if (now < checkAt || writer.inTransaction) return
      if (sizeOf(walOf(path)) < LARGEST_BYTES && !isErasing) return
      endReads()
      checkAt = now + READER_WAIT_MILLISECONDS + PAUSE_MILLISECONDS
      if (!truncateWal(writer)) return
      isErasing = false
      checkAt = 0
    },
    /** Truncates the WAL now. If a reader blocks it, a later write tries again. */
    erase(): void {
      isErasing = !truncateWal(writer)
    },
  }
}

function truncateWal(writer: File): boolean {
  writer.run(`pragma busy_timeout = ${READER_WAIT_MILLISECONDS}`)
  try {
    return writer.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()?.busy !== 1
  } finally {
    writer.run(`pragma busy_timeout = ${LOCK_MILLISECONDS}`)
  }
}

/** Returns a function that throws if the database or its WAL is no longer the file that the writer has open. */
export function createFileGuard(path: string, writer: File): () => void {
  const wal = walOf(path)
  const [opened, openedWal] = [fileIdentity(path), fileIdentity(wal)]
  return () => {
    if (fileIdentity(path) !== opened) throw replaced(`${path} was moved or replaced`)
    if (fileIdentity(wal) === openedWal) return
    saveLostChanges(wal, writer)
    throw replaced(
      `${wal} was deleted or replaced while this process has it open, so that writes would be lost`,
    )
  }
}

const replaced = (sentence: string) => new FileFaultError('replaced', `${sentence}: restart the process.`)

/** Copies the changes in the deleted WAL to the database, unless another program has begun a new WAL. */
function saveLostChanges(wal: string, writer: File): void {
  if (existsSync(wal) || writer.inTransaction) return
  try {
    writer.run('pragma wal_checkpoint(passive)')
  } catch {
    // The next check tries again.
  }
}
