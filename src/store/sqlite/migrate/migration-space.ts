import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { size } from '../../../domain/text/format.ts'

/** From this schema on, responses are stored: the migration of an older database multiplies its size. */
const FIRST_WITH_RESPONSES = 9

/** A sentence if the disk has too little space for a migration: the changes are in the WAL and in the file. */
export function migrationSpaceProblem(path: string, version: number): string | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const { bavail, bsize } = statfsSync(dirname(path))
  const [needed, free] = [bytes * (version < FIRST_WITH_RESPONSES ? 6 : 1), bavail * bsize]
  if (free >= needed) return undefined
  return `The migration of ${path} needs about ${size(needed)} of free disk space, but ${dirname(path)} has ${size(free)}: free some space, or move the database to another disk.`
}
