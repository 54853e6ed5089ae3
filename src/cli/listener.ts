import type { Config } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import { json } from '../http/answer.ts'
import { createOpenApi } from '../http/openapi.ts'
import { startServer } from '../http/server.ts'
import type { Log } from '../log.ts'
import { SOON } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { createReference } from '../web/reference.ts'
import { CommandError } from './usage.ts'
import { VERSION } from './version.ts'

/** Connections to a database server, for short statements; `max` in its address changes it. */
export const SERVING = { connections: 10, ...SOON }

type Listening = { config: Config; store: Store; now: () => number; log: Log; sharePort?: boolean }

/** Serves until it is drained. A port that cannot be had is a `CommandError`. */
export function listen({ config, store, now, log, sharePort = false }: Listening): Bun.Server<undefined> {
  const openApi = createOpenApi(VERSION)
  try {
    return startServer({
      ...config,
      sharePort,
      store,
      now,
      pages: { '/openapi.json': json(openApi), ...createReference(openApi, config.deprecatedAt) },
      onError: (error, { id, method, path }) => log.error(describe(error), { request_id: id, method, path }),
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new CommandError(`Port ${config.port} on ${config.host} is in use: set PORT to another one.`)
    }
    throw new CommandError(
      `Cannot listen on ${config.host}, port ${config.port}: ${message}. Set HOST and PORT.`,
    )
  }
}

/** How long requests under way have to finish; one that never ends must not keep the process. */
export const DRAIN_MILLISECONDS = 5000

export async function drain(server: Bun.Server<undefined>): Promise<void> {
  const forced = setTimeout(() => server.stop(true), DRAIN_MILLISECONDS)
  await server.stop()
  clearTimeout(forced)
}

/** All that is known of an error that is not the caller's. */
function describe(error: unknown): string {
  if (error instanceof ServiceError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
