import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new temporary folder, which is removed at the end of the block. */
export function tempFolder(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, 'passportd-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
