import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is removed at the end of the block. */
export function tempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'passportd-bench-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
