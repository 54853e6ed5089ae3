import { invalidParameter } from '../../domain/invalid-parameter.ts'
import type { WireDiff } from '../../domain/v3/event-schema.ts'
import { presentDiff } from '../../domain/v3/present-event.ts'
import { DIFF_UNITS } from '../../domain/v3/units.ts'
import { readDiff } from '../../store/read-later.ts'
import type { Context, RouteRequest } from '../request.ts'
import { json } from '../response.ts'
import { checkKnown, parsePast } from './instants.ts'
import { parametersOf } from './parameters.ts'
import { ambiguous, noPassport, parseKey } from './passports.ts'

const PARAMETERS = ['from', 'to'] as const

export async function getDiff(request: RouteRequest, context: Context): Promise<Response> {
  const times = parseTimes(parametersOf(request, PARAMETERS), context.now())
  await context.charge(DIFF_UNITS)
  return json(context, JSON.stringify(await findDiff(context, request.params.key ?? '', times)))
}

/** The net change of a score between two times, and its causes. Throws `not_found`, `ambiguous` or `before_history`. */
export async function findDiff(
  { store }: Pick<Context, 'store'>,
  key: string,
  times: ReturnType<typeof parseTimes>,
): Promise<WireDiff> {
  const [found] = await store.v3.find([parseKey(key)], { credentials: true })
  if (!found) throw noPassport(key)
  if ('candidates' in found) throw ambiguous(key, found.candidates)
  const { passport } = found
  const diff = await readDiff(store.events, passport, times, (knownSince) =>
    checkKnown('from', times.from, knownSince),
  )
  if (diff.score[1] === null) throw noPassport(key, times.to)
  return presentDiff(passport.id, times, diff)
}

/** `to` is now by default. Throws `invalid_request`. */
export function parseTimes({ from, to }: { from?: string; to?: string }, now: number) {
  if (from === undefined) throw invalidParameter('from', 'from is required: a day or a time.')
  const times = {
    from: parsePast('from', from, now),
    to: to === undefined ? now : parsePast('to', to, now),
  }
  if (times.from > times.to) throw invalidParameter('to', 'to must not be before from.')
  return times
}
