import Type from 'typebox'
import { type FileFault, FileFaultError, ServiceError } from '../basics/errors.ts'
import { closed } from '../basics/schema-helpers.ts'
import { IDENTITY } from '../store/sql/settings.ts'
import { DATABASE_HEADER } from './open-port.ts'
import { json } from './response.ts'
import { route, SERVICE } from './route.ts'

export const health = route(SERVICE, {
  name: 'health',
  path: '/health',
  isImmediate: true,
  id: 'getHealth',
  summary: 'The process is alive',
  response: closed({ status: Type.Literal('ok') }),
  /** Reads the store only if the request has a database id to compare. */
  async handle({ headers }, context) {
    const expected = headers.get(DATABASE_HEADER)
    const id = expected === null ? null : await context.store.data(IDENTITY).find()
    if (id && id !== expected)
      throw new ServiceError('precondition_failed', 'This process serves another database.')
    return json(context, '{"status":"ok"}')
  },
})

const FAULTS: Record<FileFault, string> = {
  damaged: 'The database file is damaged: the log has the details.',
  replaced:
    'The database file or its WAL was deleted or replaced under the service: the log has the details.',
}

export const readiness = route(SERVICE, {
  name: 'ready',
  path: '/ready',
  isImmediate: true,
  id: 'getReadiness',
  summary: 'Requests can be served',
  response: closed({
    status: Type.Literal('ready'),
    writes: Type.Enum(['ok', 'unavailable']),
  }),
  errors: ['unavailable'],
  /** Throws `unavailable` if the store cannot be read. A store that can only be read counts as ready. */
  async handle(_request, context) {
    const { writes } = await Promise.try(() => context.store.database.ping()).catch((error) => {
      if (!(error instanceof FileFaultError)) throw error
      context.onError(error)
      // The client learns what is wrong with the files, but not their names.
      throw new ServiceError('not_ready', FAULTS[error.fault], { cause: error })
    })
    await context.index.version()
    return json(context, JSON.stringify({ status: 'ready', writes: writes ? 'ok' : 'unavailable' }))
  },
})
