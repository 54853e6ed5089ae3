import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { ServiceError } from '../../domain/errors.ts'

/** Throws unless every table can be read, and the file is still the one that was opened. */
export function createPing(path: string, reader: Database): () => { writes: true } {
  const opened = identify(path)
  const reads = ['passports', 'wallets', 'credentials', 'keys', 'ranking'].map((table) =>
    reader.query(`select 1 from ${table} limit 1`),
  )
  return () => {
    if (identify(path) !== opened) {
      throw new ServiceError('unavailable', `${path} was moved or replaced: start again.`)
    }
    for (const read of reads) read.get()
    return { writes: true }
  }
}

function identify(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}
