import { globSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import { findRemains } from './remains-statements.ts'

type Result = { level: 'ok' | 'warning'; about: string; text: string }

/** Finds copies of removed data. Rows and the WAL of a SQLite file are overwritten by the removal itself. */
export async function checkErasure({ database, backups }: Config): Promise<Result[]> {
  const { removedAt, left } = await findRemains(database)
  if (database.engine === 'sqlite') {
    const leftovers = findLeftovers(database.path, backups?.folder)
    for (const file of leftovers) left.push(describeLeftover(file))
    // Databases that a restore has kept, and scheduled backups.
    const copies = listRemains(dirname(database.path), `${basename(database.path)}.*`)
    const files = [...copies, ...(backups ? listRemains(backups.folder, '*.db') : [])]
    const old = files.filter((file) => statSync(file).mtimeMs < (removedAt ?? 0) && !leftovers.includes(file))
    const since = `the last removal (${new Date(removedAt ?? 0).toISOString()})`
    for (const file of old) left.push(`${file} is older than ${since}: delete it when you no longer need it.`)
  }
  const none = 'No copies of removed data were found. docs/privacy.md says what cannot be checked.'
  if (left.length === 0) return [{ level: 'ok', about: 'erasure', text: none }]
  return left.map((text) => ({ level: 'warning', about: 'erasure', text }))
}

const listRemains = (cwd: string, pattern: string) =>
  globSync(pattern, { cwd }).map((name) => join(cwd, name))

/** Files of interrupted migrations, restores and backups. They may have removed people, although they are new. */
export function findLeftovers(path: string, backupFolder?: string): string[] {
  const name = basename(path)
  const copies = ['migrating*', 'restoring*', 'without-removed*', '*part*'].map((end) => `${name}.${end}`)
  const files = copies.flatMap((pattern) => listRemains(dirname(path), pattern))
  return [...new Set([...files, ...(backupFolder === undefined ? [] : listRemains(backupFolder, '*.part*'))])]
}

export const describeLeftover = (file: string) =>
  `${file} was left by an interrupted restore, backup or migration, and may have removed people: delete it, unless one is running.`
