import { Compile } from 'typebox/schema'
import { readValid } from '../../core/api/request-body.ts'
import { invalidValue } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { type EventCursor, isInLog, notInLog } from '../../core/history/event-cursor.ts'
import type { Context } from '../../core/http/route.ts'
import { findPassportId, LATEST, parseCursor } from '../events/routes.ts'
import { parseReceiverUrl } from './receiver-address.ts'
import {
  SubscriptionPatch,
  SubscriptionRequest,
  type WireSubscriptionPatch,
  type WireSubscriptionRequest,
} from './schemas.ts'
import type { SubscriptionFilter } from './subscription.ts'

const requestSchema = Compile(SubscriptionRequest)
const patchSchema = Compile(SubscriptionPatch)

/** Throws `invalid_request` with all invalid values, `not_found`, `ambiguous` or `cursor_expired`. */
export async function readRequest(request: Request, context: Context) {
  const body = await readValid<WireSubscriptionRequest>(request, context, requestSchema)
  return {
    url: parseUrl(context, body.url),
    filter: await parseSubscriptionFilter(context, {}, body),
    cursor: await parseStart(context, body.after ?? LATEST),
  }
}

/** Returns the changes. Throws as `readRequest`. */
export async function readPatch(request: Request, context: Context, filter: SubscriptionFilter) {
  const body = await readValid<WireSubscriptionPatch>(request, context, patchSchema)
  const { url, after, state } = body
  const hasFilter = 'types' in body || 'passport' in body || 'score' in body
  return {
    ...(url !== undefined && { url: parseUrl(context, url) }),
    ...(hasFilter && { filter: await parseSubscriptionFilter(context, filter, body) }),
    ...(after !== undefined && { cursor: await parseStart(context, after), notice: '' }),
    ...(state !== undefined && { state }),
  }
}

function parseUrl({ webhookAllowPrivate }: Context, text: string): string {
  const parsed = parseReceiverUrl(text, webhookAllowPrivate)
  if ('url' in parsed) return parsed.url
  throw invalidValue('#/url', `url ${parsed.problem}, got ${quote(text)}.`)
}

/** `null` removes a condition, and an absent one stays. */
async function parseSubscriptionFilter(
  context: Context,
  filter: SubscriptionFilter,
  { types, passport, score }: WireSubscriptionPatch,
): Promise<SubscriptionFilter> {
  const changed = {
    ...filter,
    ...(types !== undefined && { types: types && [...new Set(types)].sort() }),
    ...(score !== undefined && { score }),
    ...(passport !== undefined && {
      passport: passport === null ? null : await findPassportId(context, String(passport), '#/passport'),
    }),
  }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null))
}

async function parseStart({ store }: Context, after: string): Promise<EventCursor> {
  const start = parseCursor('#/after', after)
  const log = await store.events.log()
  if (typeof start !== 'object') return { log: log.name, sequence: log.last }
  if (!isInLog(start, log)) throw notInLog(start, log, '#/after')
  return start
}
