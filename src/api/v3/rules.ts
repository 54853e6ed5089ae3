import { ServiceError } from '../../domain/errors.ts'
import { isStorable } from '../../domain/handle.ts'
import { quote } from '../../domain/text/quote.ts'
import type { Context, RouteRequest } from '../request.ts'
import { json } from '../response.ts'
import { parametersOf } from './parameters.ts'

const YEAR_SECONDS = 31_536_000

/** The contents of a stamp never change: it has a digest of them. */
export async function getRules(request: RouteRequest, context: Context): Promise<Response> {
  parametersOf(request, [])
  const stamp = request.params.stamp ?? ''
  const rules = isStorable(stamp) ? await context.store.rules.find(stamp) : undefined
  if (!rules) throw new ServiceError('not_found', `There is no rule set ${quote(stamp)}.`)
  const response = json(context, JSON.stringify({ stamp, ...JSON.parse(rules.body) }))
  const scope = context.requireKey ? 'private' : 'public'
  response.headers.set('Cache-Control', `${scope}, max-age=${YEAR_SECONDS}, immutable`)
  return response
}
