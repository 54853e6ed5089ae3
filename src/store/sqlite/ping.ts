import type { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'
import { fileIdentity } from './backup/atomic-file.ts'

/** Throws unless every table can be read and the file is the one that was opened. */
export function createPing(path: string, reader: Database): () => { writes: boolean } {
  const opened = fileIdentity(path)
  const reads = ['passports', 'wallets', 'credentials', 'keys', 'ranking'].map((table) =>
    reader.query(`select 1 from ${table} limit 1`),
  )
  return () => {
    if (fileIdentity(path) !== opened) {
      throw new ServiceError('unavailable', `${path} was moved or replaced: restart the process.`)
    }
    for (const read of reads) read.get()
    return { writes: hasSpace(dirname(path)) }
  }
}

/** With less free disk space, writes are reported as unavailable. */
const MIN_FREE_BYTES = 1024 * 1024

function hasSpace(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= MIN_FREE_BYTES
}
