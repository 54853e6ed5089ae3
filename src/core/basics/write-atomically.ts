import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { unavailable } from './errors.ts'

/**
 * Creates a file at `path`. `commit` flushes it to disk and renames it to `name`, `cancel` removes it. `confirm` throws
 * if another process has replaced the file at `path` meanwhile.
 */
export function createPartial(path: string, name: string) {
  removeWithJournal(path)
  // The file is created here, because SQLite keeps its permissions: only the owner may read it.
  closeSync(openSync(path, 'wx', 0o600))
  const created = fileIdentity(path)
  const isOurs = () => fileIdentity(path) === created

  function confirm(): void {
    if (isOurs()) return
    throw unavailable(`${path} is being written by another process.`)
  }

  return {
    confirm,
    commit(): void {
      flush(path)
      confirm()
      renameSync(path, name)
      flush(dirname(name))
    },
    cancel(): void {
      if (isOurs()) removeWithJournal(path)
    },
  }
}

/** Creates a file at `path`, writes it and renames it to `name`. */
export function writeAtomically<T>(path: string, name: string, write: (confirm: () => void) => T): T {
  const { confirm, commit, cancel } = createPartial(path, name)
  try {
    const result = write(confirm)
    commit()
    return result
  } catch (error) {
    cancel()
    throw error
  }
}

/** Replaces a file with a text. Only the owner may read it, and nothing that is at `file.part` is followed or kept. */
export function replaceFile(file: string, text: string): void {
  const partial = `${file}.part`
  writeAtomically(partial, file, () => writeFileSync(partial, text))
}

export function removeWithJournal(path: string): void {
  for (const file of [path, `${path}-journal`]) rmSync(file, { force: true })
}

/** Waits until a file, or the names in a folder, are on the disk. */
export function flush(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Device and inode, which are the same for all names of a file. `undefined` if there is no file. */
export function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev}:${file.ino}`
}
