import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../../domain/errors.ts'
import { fileIdentity } from '../connection/file-guard.ts'

/**
 * Creates a file at `path`, writes it, flushes it to disk and renames it to `name`. Another process may replace the file at
 * `path`: `confirm` throws unless it is still the same file.
 */
export function writeAtomically<T>(path: string, name: string, write: (confirm: () => void) => T): T {
  removeWithJournal(path)
  // SQLite keeps the permissions of an empty file: only its owner may read it.
  closeSync(openSync(path, 'wx', 0o600))
  const created = fileIdentity(path)
  const isOurs = () => fileIdentity(path) === created

  function confirm(): void {
    if (isOurs()) return
    throw new ServiceError('unavailable', `${path} is being written by another process.`)
  }

  try {
    const result = write(confirm)
    flush(path)
    confirm()
    renameSync(path, name)
    flush(dirname(name))
    return result
  } catch (error) {
    if (isOurs()) removeWithJournal(path)
    throw error
  }
}

function removeWithJournal(path: string): void {
  for (const each of [path, `${path}-journal`]) rmSync(each, { force: true })
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
