import { createWriteStream, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { readConfig } from '../../config.ts'
import { CommandError, ServiceError } from '../../domain/errors.ts'
import { count } from '../../domain/text/format.ts'
import { exportRecords } from '../../ingest/export.ts'
import { DATABASE_OPTIONS, parseOptions } from '../args.ts'
import { openForCommand } from '../open-store.ts'
import { createProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

export async function exportCommand(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('export', args, DATABASE_OPTIONS, 1)
  const [path] = positionals
  await using store = await openForCommand(readConfig(terminal.env, values).database)
  const progress = createProgress(terminal, { unit: 'records' })
  let written = 0
  let isWhole = true
  const lines = async function* () {
    for await (const { text, records } of exportRecords(store)) {
      written += records
      progress.update(written)
      yield Buffer.from(text)
    }
  }
  if (path === undefined || path === '-') isWhole = await writeOut(lines())
  else await writeFile(path, lines())
  progress.end()
  if (!isWhole) return
  const where = path === undefined || path === '-' ? '' : ` to ${path}`
  terminal.err(`${count(written, 'record')} written${where}.\n`)
}

/** The file appears under its name when it is whole. */
async function writeFile(path: string, lines: AsyncIterable<Buffer>): Promise<void> {
  // A device or a pipe must not be replaced by a file.
  const isPlain = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
  const partial = isPlain ? `${path}.part` : path
  try {
    // One that is there already may be open to others, or lead to another place.
    if (isPlain) await rm(partial, { force: true })
    const file = createWriteStream(partial, { mode: 0o600, flags: isPlain ? 'wx' : 'w' })
    const source = Readable.from(lines)
    await (path.endsWith('.gz') ? pipeline(source, createGzip(), file) : pipeline(source, file))
    if (isPlain) await rename(partial, path)
  } catch (error) {
    if (isPlain) await rm(partial, { force: true })
    if (error instanceof ServiceError) throw error
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}.`)
  }
}

/** Tells whether all of it was read. */
async function writeOut(lines: AsyncIterable<Buffer>): Promise<boolean> {
  try {
    await pipeline(Readable.from(lines), process.stdout, { end: false })
    return true
  } catch (error) {
    // Whoever read it has had enough, as `head` does.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    return false
  }
}
