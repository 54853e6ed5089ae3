import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own, gone again at the end of the block. */
export function tempFolder() {
  const path = mkdtempSync(join(tmpdir(), 'passportd-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
