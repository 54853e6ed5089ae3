import { accessSync, constants, statSync } from 'node:fs'
import { ok, problem, warning } from './check-result.ts'

/** Checks a folder to which the service writes. */
export function* checkFolder(folder: string) {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) yield ok('rights', `The first start creates the folder ${folder}.`)
  else if (!stats.isDirectory()) yield problem('rights', `${folder} is not a folder.`)
  else if (!canWrite(folder))
    yield problem('rights', `This user cannot write to the folder ${folder}, but must: chown or chmod it.`)
  else if ((stats.mode & 0o002) !== 0 && (stats.mode & 0o1000) === 0)
    yield warning('rights', `Every user can write to the folder ${folder}: chmod o-w ${folder}.`)
}

export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    // accessSync throws if access is denied.
    return false
  }
}
