import { Compile } from 'typebox/schema'
import { parseKeyParameter } from '../../core/api/parameters.ts'
import { readValid } from '../../core/api/request-body.ts'
import { WriteResult } from '../../core/api/schemas.ts'
import { actorOf, KEY, V3 } from '../../core/api/surface.ts'
import type { Awaitable } from '../../core/basics/awaitable.ts'
import { invalidValue } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { type EventCursor, formatEventCursor } from '../../core/history/event-cursor.ts'
import { type Context, route } from '../../core/http/route.ts'
import { SUBJECTS } from '../../core/store/sql/passports.ts'
import { sendWritten } from './routes.ts'
import { MergeRequest, UnmergeResult, type WireMergeRequest } from './schemas.ts'

const SHARED = {
  scope: 'write:*',
  needsKey: true,
  // One transaction that waits for the disk.
  units: 4,
  responseHeaders: ['Event-Cursor'],
  response: WriteResult,
} as const

const ID = { description: 'The id of a passport', example: KEY.example }

/** The path is that of `passport`, so the parameter has the same name. */
export const removal = route(V3, {
  ...SHARED,
  name: 'v3_removal',
  path: '/api/v3/passports/:key',
  methods: ['DELETE'],
  params: { key: KEY },
  id: 'removePassport',
  summary: 'Remove a passport',
  description:
    'Also removes the passports that were merged into it. `key` must be an id. Later records with this id are ignored, also if no passport has it yet.',
  handle: ({ params }, context) =>
    sendOutcome(context, context.store.passports.remove(parseId(params.key, '{key}'), ...by(context))),
})

const mergeRequest = Compile(MergeRequest)

const MERGE_PATH = '/api/v3/passports/:id/merge'

export const merge = route(V3, {
  ...SHARED,
  name: 'v3_merge',
  path: MERGE_PATH,
  methods: ['POST'],
  params: { id: ID },
  id: 'mergePassport',
  summary: 'Merge a passport into another',
  description: 'Its id and wallets lead to the other passport, until the merge is undone.',
  body: MergeRequest,
  errors: ['not_found', 'unsupported_media_type'],
  async handle({ params }, context) {
    const id = parseId(params.id, '{id}')
    const { into } = await readValid<WireMergeRequest>(context.request, context, mergeRequest)
    return sendOutcome(context, context.store.passports.merge(id, into, ...by(context)))
  },
})

export const unmerge = route(V3, {
  ...SHARED,
  name: 'v3_unmerge',
  path: MERGE_PATH,
  methods: ['DELETE'],
  params: { id: ID },
  id: 'unmergePassport',
  summary: 'Undo a merge',
  errors: ['not_found'],
  response: UnmergeResult,
  async handle({ params }, context) {
    const id = parseId(params.id, '{id}')
    const { passports, data } = context.store
    const cursor = formatEventCursor(await passports.unmerge(id, ...by(context)))
    const isHidden = (await data(SUBJECTS).findById(id))?.hidden === true
    return sendWritten(context, { cursor, ...(isHidden && { hidden: true }) })
  },
})

const by = (context: Context) => [context.now(), actorOf(context)] as const

const sendOutcome = async (context: Context, end: Awaitable<EventCursor>) =>
  sendWritten(context, { cursor: formatEventCursor(await end) })

function parseId(text: string, pointer: string): number {
  const key = parseKeyParameter(text, pointer)
  if ('id' in key) return key.id
  throw invalidValue(pointer, `This request needs the id of a passport, got ${quote(text)}.`)
}
