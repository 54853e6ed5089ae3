import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../domain/errors.ts'

/** Throws unless every table can be read, and the file is still the one that was opened. */
export function createPing(path: string, reader: Database): () => { writes: boolean } {
  const opened = identify(path)
  const reads = ['passports', 'wallets', 'credentials', 'keys', 'ranking'].map((table) =>
    reader.query(`select 1 from ${table} limit 1`),
  )
  return () => {
    if (identify(path) !== opened) {
      throw new ServiceError('unavailable', `${path} was moved or replaced: start again.`)
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

function identify(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}
