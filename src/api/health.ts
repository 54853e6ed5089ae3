import type { Context, Route } from './request.ts'
import { json } from './response.ts'

export const HEALTH_ROUTES: readonly Route[] = [
  { path: '/health', kind: 'own', name: 'health', handle: getHealth },
  { path: '/ready', kind: 'own', name: 'ready', handle: getReadiness },
]

/** Does not access the store. */
function getHealth(_request: Request, context: Context): Response {
  return json(context, '{"status":"ok"}')
}

const present = (works: boolean) => (works ? 'ok' : 'unavailable')

/** Throws `unavailable` if the store cannot be read. A store that cannot be written is ready. */
async function getReadiness(_request: Request, context: Context): Promise<Response> {
  const { writes, replica } = await context.store.ping()
  return json(
    context,
    JSON.stringify({
      status: 'ready',
      writes: present(writes),
      ...(replica !== undefined && { replica: present(replica) }),
    }),
  )
}
