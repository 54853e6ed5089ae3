import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ServiceError } from '../../../domain/errors.ts'

/**
 * Makes a new, empty file at `path` and has it written; it gets its name once it is whole and on the disk. A later caller with
 * the same path takes it over: `confirm` throws unless it is still the file that was made here.
 */
export function writeAtomically<T>(path: string, name: string, write: (confirm: () => void) => T): T {
  removeWithJournal(path)
  // SQLite takes an empty file as it is, with its rights: as the database, only its owner may read it.
  closeSync(openSync(path, 'wx', 0o600))
  const place = fileIdentity(path)
  const isOurs = () => fileIdentity(path) === place

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

/** Tells one file from another, whatever their names; nothing where there is none. */
export function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
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
