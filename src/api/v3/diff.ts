import { fold } from '../../domain/v3/fold.ts'
import { invalidParameter } from '../../domain/v3/invalid.ts'
import { stateOf } from '../../domain/v3/passport-at.ts'
import { presentDiff } from '../../domain/v3/present-event.ts'
import { undo } from '../../domain/v3/undo.ts'
import type { Context, RouteRequest } from '../request.ts'
import { json } from '../response.ts'
import { checkKnown, parsePast } from './instants.ts'
import { parametersOf } from './parameters.ts'
import { ambiguous, noPassport, parseKey } from './passports.ts'

const PARAMETERS = ['from', 'to'] as const

/** The net change of a score between two times, and its causes. */
export async function getDiff(request: RouteRequest, context: Context): Promise<Response> {
  const { store, now } = context
  const { from, to } = parseTimes(parametersOf(request, PARAMETERS), now())
  const text = request.params.key ?? ''
  const [found] = await store.v3.find([parseKey(text)], { credentials: true })
  if (!found) throw noPassport(text)
  if ('candidates' in found) throw ambiguous(text, found.candidates)
  const { passport } = found
  const later = await store.events.listAfterTime([passport.id], from)
  checkKnown('from', from, later.knownSince)
  const events = Map.groupBy(later.events, ({ time }) => time > to)
  const state = undo(stateOf(passport), events.get(true) ?? [])
  if (!state) throw noPassport(text, to)
  const diff = fold(state, events.get(false) ?? [])
  return json(context, JSON.stringify(presentDiff(passport.id, from, to, diff)))
}

function parseTimes({ from, to }: { from?: string; to?: string }, now: number) {
  if (from === undefined) throw invalidParameter('from', 'from is required: a day or a time.')
  const times = {
    from: parsePast('from', from, now),
    to: to === undefined ? now : parsePast('to', to, now),
  }
  if (times.from > times.to) throw invalidParameter('to', 'to must not be before from.')
  return times
}
