import type { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws unless every table can be read and the files are those that were opened. */
export function createPing(
  path: string,
  reader: Database,
  checkFiles: () => void,
): () => { writes: boolean } {
  const reads = ['passports', 'wallets', 'credentials', 'keys', 'ranking'].map((table) =>
    reader.query(`select 1 from ${table} limit 1`),
  )
  return () => {
    checkFiles()
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
