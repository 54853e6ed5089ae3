import { notFound } from '../../domain/errors.ts'
import { parsePassportRef } from '../../domain/passport.ts'
import { queryOf } from '../request.ts'
import { json } from '../response.ts'
import type { Context } from '../route.ts'

/** A request without a passport gets an empty list. */
export async function listCredentials(request: Request, context: Context): Promise<Response> {
  const query = queryOf(request)
  const named = query.get('passport_id') ?? query.get('id') ?? ''
  if (named === '') return json(context, '{"passport_credentials":[]}')
  const ref = parsePassportRef(named)
  const credentials = ref && (await context.store.v1.findCredentials(ref))
  if (!credentials) throw notFound()
  return json(context, credentials.body, credentials.etag)
}
