import Type from 'typebox'
import { onlyOne, parseKeyParameter } from '../../core/api/parameters.ts'
import { presentAccounts } from '../../core/api/present.ts'
import { PAGE_BYTES } from '../../core/api/read-passports.ts'
import { ExplanationAccount } from '../../core/api/schemas.ts'
import { KEY, V3 } from '../../core/api/surface.ts'
import { invalidParameter, notFound } from '../../core/basics/errors.ts'
import { closed, orNull } from '../../core/basics/schema-helpers.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { json } from '../../core/http/response.ts'
import { route } from '../../core/http/route.ts'

const MOST = 100

/** The rest of a line of an explanation that has more accounts than it shows. */
export const accounts = route(V3, {
  name: 'v3_accounts',
  path: '/api/v3/passports/:key/accounts',
  id: 'listAccounts',
  summary: 'List the data points of a credential',
  description: `All accounts of a line of the explanation, those that count first; at most ${MOST} on a page.`,
  params: { key: KEY },
  query: {
    type: { description: 'The type of the credential', required: true, example: 'github_developer' },
    cursor: { description: '`next` of the previous page' },
  },
  response: closed({
    accounts: Type.Array(ExplanationAccount),
    next: orNull(Type.String(), 'The `cursor` of the next page; null on the last one'),
  }),
  errors: ['not_found', 'ambiguous'],
  async handle(request, context, { type = '', cursor = '0' }) {
    if (type === '') throw invalidParameter('type', 'type must be given.')
    if (!/^\d{1,9}$/.test(cursor))
      throw invalidParameter('cursor', `cursor must be \`next\` of the previous page, got ${quote(cursor)}.`)
    const { key } = request.params
    await takeTurn(context, PAGE_BYTES)
    const [result] = await context.store.passports.findByKeys([parseKeyParameter(key)], {
      credentials: false,
    })
    const explained = await context.explain({ id: onlyOne(key, result).passport.id })
    const line = explained?.lines.find((line) => line.type === type)
    if (!line) throw notFound(`The explanation of ${quote(key)} has no line for the type ${quote(type)}.`)
    const end = Number(cursor) + MOST
    const next = end < line.accounts.length ? String(end) : null
    return json(context, JSON.stringify({ accounts: presentAccounts(line, Number(cursor), end), next }))
  },
})
