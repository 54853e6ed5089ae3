import { checkKnown, noPassport, onlyOne, parseKeyParameter, parsePast } from '../../core/api/parameters.ts'
import { KEY, V3 } from '../../core/api/surface.ts'
import { AFTER, waitForCursor } from '../../core/api/wait-for-cursor.ts'
import { invalidParameter } from '../../core/basics/errors.ts'
import { Diff, type WireDiff } from '../../core/history/event-schema.ts'
import { presentDiff } from '../../core/history/present-event.ts'
import { readDiff } from '../../core/history/read-later.ts'
import { json } from '../../core/http/response.ts'
import { type Context, route } from '../../core/http/route.ts'

const TIME = 'A time in the past (RFC 3339), or a day, which is its first moment in UTC'

export const diff = route(V3, {
  name: 'v3_diff',
  path: '/api/v3/passports/:key/diff',
  // A diff reads all events of a passport after `from`.
  units: 2,
  id: 'getDiff',
  summary: 'Explain why a score changed between two times',
  description: 'The causes add up to the difference of the scores.',
  params: { key: KEY },
  query: {
    from: { description: TIME, required: true, example: '2026-10-01' },
    to: { description: `${TIME}. Now, if absent.` },
    after: AFTER,
  },
  response: Diff,
  errors: ['before_history', 'ambiguous', 'cursor_expired'],
  errorWords: {
    before_history:
      'The passport does not exist (`not_found`), or the time is before the log began: `known_since` is its beginning',
  },
  async handle({ params }, context, query) {
    const times = parseTimes(query, context.now())
    await waitForCursor(context, query.after)
    return json(context, JSON.stringify(await findDiff(context, params.key, times)))
  },
})

/** The net change of a score between two times, and its causes. Throws `not_found`, `ambiguous` or `before_history`. */
export async function findDiff(
  { store }: Pick<Context, 'store'>,
  key: string,
  times: ReturnType<typeof parseTimes>,
): Promise<WireDiff> {
  const [result] = await store.passports.findByKeys([parseKeyParameter(key)], { credentials: true })
  const { passport } = onlyOne(key, result)
  const diff = await readDiff(store.events, passport, times, (knownSince) =>
    checkKnown('from', times.from, knownSince),
  )
  if (diff.score[1] === null) throw noPassport(key, times.to)
  return presentDiff(passport.id, times, diff)
}

/** `to` defaults to `now`. Throws `invalid_request`. */
function parseTimes({ from, to }: { from?: string; to?: string }, now: number) {
  if (from === undefined) throw invalidParameter('from', 'from is required: a day or a time.')
  const times = {
    from: parsePast('from', from, now),
    to: to === undefined ? now : parsePast('to', to, now),
  }
  if (times.from > times.to) throw invalidParameter('to', 'to must not be before from.')
  return times
}
