import { ServiceError } from '../../domain/errors.ts'
import { invalidValues } from '../../domain/invalid-parameter.ts'
import { type PassportKey, parsePassportKey } from '../../domain/passport-key.ts'
import { quote } from '../../domain/text/quote.ts'
import { type Fields, parseFields } from '../../domain/v3/fields.ts'
import { presentTime } from '../../domain/v3/present-event.ts'
import type { Context, RouteRequest } from '../request.ts'
import { json } from '../response.ts'
import { parsePast } from './instants.ts'
import { parametersOf, parseNames } from './parameters.ts'
import { readPassports } from './read-passports.ts'

/** The parameters of a single passport. */
const PARAMETERS = ['include', 'select', 'as_of'] as const

export async function getPassport(request: RouteRequest, context: Context): Promise<Response> {
  const parameters = parametersOf(request, PARAMETERS)
  const fields = fieldsOf(parameters)
  const { as_of } = parameters
  const asOf = as_of === undefined ? undefined : parsePast('as_of', as_of, context.now())
  const text = request.params.key ?? ''
  const [result] = await readPassports(context, [parseKey(text)], fields, asOf)
  if (!result) throw noPassport(text, asOf)
  if ('candidates' in result) throw ambiguous(text, result.candidates)
  const response = json(context, result.json)
  const { id, merged } = result.passport
  if (merged) response.headers.set('Content-Location', `/api/v3/passports/${id}`)
  return response
}

/** The fields that the parameters `include` and `select` name; both are lists with commas. */
export function fieldsOf({ include, select }: { include?: string; select?: string }): Fields {
  const given = {
    include: include === undefined ? undefined : parseNames('include', include),
    select: select === undefined ? undefined : parseNames('select', select),
  }
  return parseFields(given, (name) => `?${name}`)
}

export const KEY_FORMS = 'an id, a wallet address, or a source and a name such as github:zoe'

/** Throws `invalid_request` if the key is malformed. */
export function parseKey(text: string, pointer = '{key}'): PassportKey {
  const key = parsePassportKey(text)
  if (key) return key
  throw invalidValues([{ pointer, detail: `A key must be ${KEY_FORMS}, got ${quote(text)}.` }])
}

export const noPassport = (key: string, time?: number) =>
  new ServiceError(
    'not_found',
    time === undefined
      ? `There is no passport ${quote(key)}.`
      : `There is no passport ${quote(key)} at ${presentTime(time)}.`,
  )

export const ambiguous = (key: string, candidates: readonly number[]) =>
  new ServiceError('ambiguous', `${quote(key)} is a handle of several passports: use an id.`, {
    members: { candidates },
  })
