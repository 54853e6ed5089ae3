import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fillPeer } from '../data-sets/peer-database.ts'
import type { PersistentPostgres } from '../data-sets/reused-postgres.ts'
import { treeCpuSeconds } from './process-stats.ts'
import { type Server, startServer } from './servers.ts'

const FOLDER = join(import.meta.dir, '../peer')

/** Starts Fastify on PostgreSQL with a data set. The CPU time is that of both. */
export async function startPeer(
  postgres: PersistentPostgres,
  path: string,
  passports: number,
): Promise<Server> {
  if (!existsSync(join(FOLDER, 'node_modules'))) await Bun.$`npm ci --no-audit --no-fund`.cwd(FOLDER).quiet()
  const env = { DATABASE_URL: await fillPeer(postgres, path, passports), NODE_ENV: 'production' }
  const server = await startServer(['node', join(FOLDER, 'server.js')], env)
  return { ...server, cpuSeconds: () => server.cpuSeconds() + treeCpuSeconds(postgres.pid) }
}
