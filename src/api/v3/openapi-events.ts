import { EVENT_TYPES } from '../../domain/history/event.ts'
import { query, readPath } from '../openapi-parts.ts'
import { MOST_STREAMS, MOST_STREAMS_OF_KEY } from './event-streams.ts'
import { LARGEST_LIMIT } from './events.ts'
import { DIFF, EVENTS } from './examples.ts'
import { COMMA_SEPARATED, KEY, ref, V3 } from './openapi.ts'

const TIME = 'A time in the past (RFC 3339), or a day, which is its first moment in UTC'

const EVENT_PARAMETERS = [
  query(
    'after',
    'A cursor: `next` of a page, or the `id` of an event. `latest` is the end of the log. Without it, the oldest events come first.',
    { type: 'string', examples: ['k3f9a2-918273'] },
  ),
  query('limit', 'Events per page; not with streams', {
    type: 'integer',
    minimum: 1,
    maximum: LARGEST_LIMIT,
    default: 100,
  }),
  query(
    'types',
    'Only events of these types',
    { type: 'array', items: { enum: EVENT_TYPES } },
    COMMA_SEPARATED,
  ),
  query(
    'passport',
    'Only events of this passport: an id, a wallet or a handle. An id may be that of a merged or removed passport.',
    { type: 'string' },
  ),
  {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Streams only: the `id` of the last event that the client received. Overrides `after`.',
    schema: { type: 'string' },
  },
]

export const V3_EVENT_PATHS = {
  '/api/v3/passports/{key}/diff': readPath(V3, {
    id: 'getDiff',
    summary: 'Explain why a score changed between two times',
    description: 'The causes add up to the difference of the scores.',
    pathParameter: KEY,
    parameters: [
      query('from', TIME, { type: 'string' }, { required: true, example: '2026-10-01' }),
      query('to', `${TIME}. Now, if absent.`, { type: 'string' }),
    ],
    success: 'The change of the score',
    content: { 'application/json': { schema: ref('Diff'), example: DIFF } },
    errors: ['before_history', 'ambiguous'],
  }),
  '/api/v3/events': readPath(V3, {
    id: 'listEvents',
    summary: 'List or follow all changes of passports and rule sets',
    description: `CloudEvents 1.0 in commit order. Follow \`next\`: when it equals \`after\`, there are no newer events yet. With \`Accept: text/event-stream\`, the response is a stream of server-sent events that stays open; each server thread has at most ${MOST_STREAMS} streams, ${MOST_STREAMS_OF_KEY} of them with the same key. A key is always required.`,
    needsKey: true,
    parameters: EVENT_PARAMETERS,
    success: 'A page of events, or a stream of them',
    headers: ['NextLink', 'Vary', 'X-Accel-Buffering'],
    content: {
      'application/json': { schema: ref('EventPage'), example: EVENTS },
      'text/event-stream': {
        itemSchema: {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'string', description: 'The cursor' },
            event: { enum: EVENT_TYPES },
            data: { type: 'string', contentMediaType: 'application/json', contentSchema: ref('Event') },
          },
        },
        example: EVENTS.items
          .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
          .join(''),
      },
    },
    errors: ['not_found', 'ambiguous', 'cursor_expired', 'overloaded'],
  }),
}
