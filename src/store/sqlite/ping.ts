import type { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'
import { fileIdentity } from './backup/atomic-file.ts'

/** Throws unless every table can be read, and the file is still the one that was opened. */
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
    return { writes: hasRoom(dirname(path)) }
  }
}

/** A write needs less, but whoever has no more than that is about to be in trouble. */
const LEAST_ROOM = 1024 * 1024

function hasRoom(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= LEAST_ROOM
}
