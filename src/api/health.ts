import type { Context, Route } from './request.ts'
import { json, type Reply } from './response.ts'

export const HEALTH_ROUTES: readonly Route[] = [
  { path: '/health', kind: 'own', name: 'health', handle: getHealth },
  { path: '/ready', kind: 'own', name: 'ready', handle: getReadiness },
]

/** The process is alive; the store is not asked. */
function getHealth(): Reply {
  return json('{"status":"ok"}')
}

const present = (works: boolean) => (works ? 'ok' : 'unavailable')

/** Requests can be served, even if nothing can be written: throws `unavailable` if the store cannot be read. */
async function getReadiness(_request: Request, { store }: Context): Promise<Reply> {
  const { writes, replica } = await store.ping()
  return json(
    JSON.stringify({
      status: 'ready',
      writes: present(writes),
      ...(replica !== undefined && { replica: present(replica) }),
    }),
  )
}
