import { ServiceError } from '../../domain/errors.ts'
import { quote } from '../../domain/text/quote.ts'
import { type Fields, parseFields } from '../../domain/v3/fields.ts'
import { invalidValues } from '../../domain/v3/invalid.ts'
import { parsePassportKey } from '../../domain/v3/key.ts'
import type { Context, RouteRequest } from '../request.ts'
import { json } from '../response.ts'
import { parametersOf } from './parameters.ts'
import { readPassports } from './read-passports.ts'

/** The parameters of a single passport. */
const PARAMETERS = ['include', 'select'] as const

export async function getPassport(request: RouteRequest, context: Context): Promise<Response> {
  const fields = fieldsOf(parametersOf(request, PARAMETERS))
  const text = request.params.key ?? ''
  const key = parsePassportKey(text)
  if (!key) throw malformedKey(text)
  const [result] = await readPassports(context, [key], fields)
  if (!result) throw new ServiceError('not_found', `There is no passport ${quote(text)}.`)
  if ('candidates' in result) {
    throw new ServiceError('ambiguous', `${quote(text)} is a handle of several passports: use an id.`, {
      members: { candidates: result.candidates },
    })
  }
  const response = json(context, result.json)
  const { id, merged } = result.passport
  if (merged) response.headers.set('Content-Location', `/api/v3/passports/${id}`)
  return response
}

/** The fields that the parameters `include` and `select` name; both are lists with commas. */
export function fieldsOf({ include, select }: { include?: string; select?: string }): Fields {
  const given = { include: include?.split(','), select: select?.split(',') }
  return parseFields(given, (name) => `?${name}`)
}

export const KEY_FORMS = 'an id, a wallet address, or a source and a name such as github:zoe'

const malformedKey = (text: string) =>
  invalidValues([{ pointer: '{key}', detail: `A key must be ${KEY_FORMS}, got ${quote(text)}.` }])
