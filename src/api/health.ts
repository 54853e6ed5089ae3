import type { ReplicaStatus } from '../store/store.ts'
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

/** From worst to best. */
const STATES = ['unavailable', 'promoted', 'lagging', 'ok'] as const

const worstOf = (replicas: readonly ReplicaStatus[]) =>
  STATES.find((worst) => replicas.some(({ state }) => state === worst))

/** Throws `unavailable` if the store cannot be read. A store that cannot be written is ready. */
async function getReadiness(_request: Request, context: Context): Promise<Response> {
  const { writes, replicas } = await context.store.ping()
  return json(
    context,
    JSON.stringify({
      status: 'ready',
      writes: present(writes),
      ...(replicas && { replica: worstOf(replicas) }),
    }),
  )
}
