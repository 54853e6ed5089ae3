import { createWriteStream, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { CommandError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { DATABASE_OPTIONS, defineCommand } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { createProgress } from '../../core/cli/progress.ts'
import { STANDARD_OUTPUT, withPath } from '../../core/cli/system-error.ts'
import { exportRecords } from './export.ts'

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'export all records as JSON lines',
  description: 'An import of the file into an empty database gives the same service. Keys are not exported.',
  options: { force: { about: 'replace FILE if it exists' }, ...DATABASE_OPTIONS },
  forms: [{ args: '[FILE]', about: 'to standard output without FILE; compressed if FILE ends in .gz' }],
  async run({ values, args: [argument] }, terminal) {
    const path = argument === '-' ? undefined : argument
    // A device or a pipe must not be replaced by a file.
    const target = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    if (target?.isFile() && !values.force)
      throw new CommandError(`${path} exists already: --force replaces it.`)
    await using database = await openConfigured(terminal, values)
    const progress = createProgress(terminal, 'records')
    let written = 0
    const lines = async function* () {
      for await (const { text, records } of exportRecords(database.store)) {
        written += records
        progress.update(written)
        yield Buffer.from(text)
      }
    }
    if (path === undefined) await writeOut(lines())
    else await writeFile(path, target?.isFile() ?? true, lines())
    progress.end()
    const where = path === undefined ? '' : ` to ${path}`
    terminal.err(`${count(written, 'record')} written${where}.\n`)
  },
})

/** Writes a file under another name, and renames it when it is complete. Devices are written directly. */
async function writeFile(path: string, isPlain: boolean, lines: AsyncIterable<Buffer>): Promise<void> {
  const partial = isPlain ? `${path}.part` : path
  try {
    // An existing partial file is not reused: it may be readable by others, or be a link.
    if (isPlain) await rm(partial, { force: true })
    const file = createWriteStream(partial, { mode: 0o600, flags: isPlain ? 'wx' : 'w' })
    const source = Readable.from(lines)
    await (path.endsWith('.gz') ? pipeline(source, createGzip(), file) : pipeline(source, file))
    if (isPlain) await rename(partial, path)
  } catch (error) {
    if (isPlain) await rm(partial, { force: true })
    throw withPath(error, path)
  }
}

async function writeOut(lines: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pipeline(Readable.from(lines), process.stdout, { end: false })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === 'write' ? withPath(error, STANDARD_OUTPUT) : error
  }
}
