import { fieldsOf, INCLUDES, onlyOne, parseKeyParameter, parsePast } from '../../core/api/parameters.ts'
import { PAGE_BYTES, readPassports } from '../../core/api/read-passports.ts'
import { PassportOrSelected } from '../../core/api/schemas.ts'
import { KEY, listParameter, V3 } from '../../core/api/surface.ts'
import { AFTER, waitForCursor } from '../../core/api/wait-for-cursor.ts'
import { andThen } from '../../core/basics/awaitable.ts'
import type { PassportV3 } from '../../core/history/passport-state.ts'
import { takeTurn } from '../../core/http/byte-budget.ts'
import { json } from '../../core/http/response.ts'
import { route } from '../../core/http/route.ts'

export const FIELD_PARAMETERS = {
  include: listParameter('Further parts of the passport', { enum: INCLUDES }),
  select: listParameter('Only these fields, as dotted paths such as `passport_profile.display_name`', {
    type: 'string',
  }),
}

export const passport = route(V3, {
  name: 'v3_passport',
  path: '/api/v3/passports/:key',
  isImmediate: true,
  isCheap: (request) => !request.url.includes('?'),
  id: 'getPassportV3',
  summary: 'Get a passport by id, wallet or handle',
  description:
    'For a passport that was merged into another, the response is the surviving passport, named in `Content-Location`. With `Accept: application/vc+jwt`, the response is a signed snapshot of the score; `include`, `select` and `as_of` are not accepted then.',
  params: { key: KEY },
  query: {
    ...FIELD_PARAMETERS,
    include: { ...FIELD_PARAMETERS.include, example: INCLUDES },
    after: AFTER,
    as_of: {
      description:
        'A time in the past with its offset (RFC 3339), or a day, which is its first moment in UTC. Scores, credentials, the human checkmark and the rule stamp are those of this time; other fields are current.',
      schema: { type: 'string', examples: ['2026-10-01'] },
    },
  },
  responseHeaders: ['Content-Location', 'VaryAccept'],
  response: PassportOrSelected,
  errors: ['before_history', 'not_acceptable', 'ambiguous', 'cursor_expired'],
  errorWords: {
    before_history:
      'The passport does not exist, or did not exist at that time (`not_found`), or the time is before the log began: `known_since` is its beginning',
    ambiguous:
      'The handle belongs to several passports: `candidates` has their ids, at most 10. Signed snapshots: a new score is being calculated (`calculating`)',
  },
  handle(request, context, query) {
    const { key } = request.params
    const fields = fieldsOf(query)
    const asOf = query.as_of === undefined ? undefined : parsePast('as_of', query.as_of, context.now())
    const parsed = parseKeyParameter(key)
    // Only parts that are included, or an earlier time, need more than one indexed read.
    const isLarge = fields.includes.size > 0 || asOf !== undefined
    const place = isLarge ? takeTurn(context, PAGE_BYTES) : undefined
    return andThen(place, () =>
      andThen(waitForCursor(context, query.after), () =>
        andThen(readPassports(context, [parsed], fields, { asOf }), ([result]) => {
          const { passport, json: body } = onlyOne(key, result, asOf)
          return addLocation(json(context, body), passport)
        }),
      ),
    )
  },
})

/** The response depends on `Accept`. It names the surviving passport of a merged one. */
export function addLocation(response: Response, { id, merged }: Pick<PassportV3, 'id' | 'merged'>): Response {
  response.headers.set('Vary', 'Accept')
  if (merged) response.headers.set('Content-Location', `/api/v3/passports/${id}`)
  return response
}
