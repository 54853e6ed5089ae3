import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/** Chooses memory if enough is free: a new PostgreSQL database takes 10 ms there, and 150 ms on a slow disk. */
function findPlace(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir()
}

/** A new temporary folder, which is removed at the end of the block. */
export function tempFolder() {
  const path = mkdtempSync(join(findPlace(), 'passportd-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A data folder in which a compromised service left a preload script for Bun. */
export function hostileFolder() {
  const folder = tempFolder()
  writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
  writeFileSync(join(folder.path, 'evil.ts'), 'process.exit(7)\n')
  writeFileSync(join(folder.path, '.env'), 'BUN_OPTIONS=--preload=./evil.ts\n')
  return folder
}
