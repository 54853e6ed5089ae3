import { notFound } from '../../domain/errors.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { type Context, queryOf, type RouteRequest } from '../request.ts'
import { json, type Reply } from '../response.ts'

/** A request that names no passport gets an empty list. */
export async function listCredentials(request: RouteRequest, { store }: Context): Promise<Reply> {
  const query = queryOf(request)
  const named = query.get('passport_id') ?? query.get('id') ?? ''
  if (named === '') return json('{"passport_credentials":[]}')
  const ref = parsePassportRef(named)
  const credentials = ref && (await store.v1.findCredentials(ref))
  if (!credentials) throw notFound()
  return json(credentials.body, credentials.etag)
}
