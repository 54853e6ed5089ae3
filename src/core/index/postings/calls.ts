import { ClientGone, ServiceError } from '../../basics/errors.ts'
import { createCaller, receiveCalls } from '../../basics/thread-calls.ts'
import type { EventCursor } from '../../history/event-cursor.ts'
import type { Filter } from '../../lists/filter.ts'
import type { Position, ScoreField } from '../../lists/list-request.ts'
import type { ListRequest } from './find.ts'
import { findInLiveIndex, type LiveIndex } from './live.ts'
import { pointsOf } from './points.ts'
import { type SearchRequest, search } from './search.ts'
import { countBefore, findDistribution, findPeers, rankOf } from './standing.ts'

type Scores = Partial<Record<ScoreField, number>>

/** What other threads ask the thread of the index. */
const CALLS = {
  list: (live: LiveIndex, { request, after }: { request: ListRequest; after?: EventCursor | undefined }) =>
    findInLiveIndex(live, request, after),
  search: ({ index }: LiveIndex, request: SearchRequest) => search(index, request),
  /** The ranks of the scores of several passports. */
  ranks: ({ index }: LiveIndex, passports: readonly Scores[]) =>
    passports.map((scores) =>
      Object.entries(scores).map(([field, score]) => ({
        field,
        ...rankOf(index, score, field as ScoreField),
      })),
    ),
  distribution: ({ index }: LiveIndex) => findDistribution(index),
  place: ({ index }: LiveIndex, position: Position) => countBefore(index, position),
  peers: (
    { index }: LiveIndex,
    { filter, position, most }: { filter: Filter; position: Position; most: number },
  ) => findPeers(index, filter, position, most),
  points: ({ index }: LiveIndex, { ids, type }: { ids: readonly number[]; type: string }) =>
    ids.map((id) => pointsOf(index, id, type)),
}

type Name = keyof typeof CALLS
type Argument<Of extends Name> = Parameters<(typeof CALLS)[Of]>[1]
type Answer<Of extends Name> = Awaited<ReturnType<(typeof CALLS)[Of]>>
type Call = { name: Name; argument: unknown }

/** The rate limit keeps one client from filling the queue. */
const MOST_WAITING = 2000
const LONGEST_CALL_MILLISECONDS = 10_000

const limit = {
  milliseconds: LONGEST_CALL_MILLISECONDS,
  error: () => new ServiceError('not_ready', 'The list takes too long. Try again shortly.'),
}

export type IndexClient = ReturnType<typeof createIndexClient>

export function createIndexClient() {
  const { connect, send } = createCaller<Call, unknown>('The index thread ended.', MOST_WAITING)
  return {
    connect,
    call: <Of extends Name>(name: Of, argument: Argument<Of>, signal?: AbortSignal): Promise<Answer<Of>> =>
      send({ name, argument }, { signal, limit }) as Promise<Answer<Of>>,
  }
}

/** Answers the calls of a port. `live` returns the index, or throws `not_ready` while there is none. */
export const answerIndexCalls = (port: MessagePort, live: () => LiveIndex): void =>
  receiveCalls<Call, unknown>(port, async ({ name, argument }, isCancelled) => {
    // Messages that wait are received first: they may cancel the call.
    await new Promise(setImmediate)
    if (isCancelled()) throw new ClientGone()
    return (CALLS[name] as (index: LiveIndex, argument: unknown) => unknown)(live(), argument)
  })
