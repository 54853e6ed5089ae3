import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fillPeer } from './peer-database.ts'
import { treeCpuSeconds } from './process-stats.ts'
import { startPersistentPostgres } from './reused-postgres.ts'
import { type Server, startServer } from './servers.ts'

const FOLDER = join(import.meta.dir, '../peer')

/** Starts Fastify on PostgreSQL with a data set. */
export async function startPeer(path: string, passports: number): Promise<Server> {
  if (!existsSync(join(FOLDER, 'node_modules'))) await Bun.$`npm ci --no-audit --no-fund`.cwd(FOLDER).quiet()
  const postgres = await startPersistentPostgres()
  try {
    const url = await fillPeer(postgres, path, passports)
    const env = { DATABASE_URL: url, NODE_ENV: 'production' }
    const server = await startServer(['node', join(FOLDER, 'server.js')], env)
    return {
      ...server,
      cpuSeconds: () => server.cpuSeconds() + treeCpuSeconds(postgres.pid),
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]()
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}
