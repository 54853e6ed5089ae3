import { globSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import { findRemains } from '../../core/store/open.ts'

type Result = { level: 'ok' | 'warning'; about: string; text: string }

/** Finds copies of removed data. Rows and the WAL of a SQLite file are overwritten by the removal itself. */
export async function checkErasure({ database, backups }: Config): Promise<Result[]> {
  const { removedAt, left } = await findRemains(database)
  if (removedAt !== undefined && database.engine === 'sqlite') {
    const list = (cwd: string, pattern: string) => globSync(pattern, { cwd }).map((name) => join(cwd, name))
    // Databases that a restore has kept, files of an interrupted restore or backup, and scheduled backups.
    const copies = list(dirname(database.path), `${basename(database.path)}.*`)
    const files = [...copies, ...(backups ? list(backups.folder, '*.db') : [])]
    const since = `the last removal (${new Date(removedAt).toISOString()})`
    for (const file of files.filter((each) => statSync(each).mtimeMs < removedAt))
      left.push(`${file} is older than ${since}: delete it when you no longer need it.`)
  }
  const none = 'No copies of removed data were found. docs/privacy.md says what cannot be checked.'
  if (left.length === 0) return [{ level: 'ok', about: 'erasure', text: none }]
  return left.map((text) => ({ level: 'warning', about: 'erasure', text }))
}
