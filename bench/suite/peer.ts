import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { familyTime, processorTime } from '../process-figures.ts'
import { startChild } from './child.ts'
import type { KeptPostgres } from './kept-postgres.ts'

const FOLDER = join(import.meta.dir, '../peer')

/** The program that one would write instead, under Node. */
export async function startPeer(server: KeptPostgres, database: string) {
  if (!existsSync(join(FOLDER, 'node_modules'))) await Bun.$`npm ci --no-audit --no-fund`.cwd(FOLDER).quiet()
  const env = { DATABASE_URL: database, NODE_ENV: 'production' }
  const child = await startChild(['node', join(FOLDER, 'server.js')], env)
  return Object.assign(child, {
    url: child.line,
    /** The database works for it, too. */
    spent: () => processorTime(child.pid) + familyTime(server.pid),
  })
}
