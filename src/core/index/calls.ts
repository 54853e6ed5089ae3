import type { Awaitable } from '../basics/awaitable.ts'
import { ClientGone, ServiceError } from '../basics/errors.ts'
import { createCaller, receiveCalls } from '../basics/thread-calls.ts'
import type { EventCursor } from '../history/event-cursor.ts'
import type { Scores } from '../passport/passport.ts'
import type { ListRequest } from './find.ts'
import { findInLiveIndex, type LiveIndex } from './live.ts'
import { findDistribution, findStanding } from './order.ts'
import { findNeighbours, type Place, type SearchRequest, search } from './search.ts'

type ListCall = { request: ListRequest; after?: EventCursor | undefined }

/** What other threads ask the thread of the index. */
const CALLS = {
  list: (live: LiveIndex, { request, after }: ListCall) => findInLiveIndex(live, request, after),
  search: ({ index }: LiveIndex, request: SearchRequest) => search(index, request),
  standings: ({ index }: LiveIndex, passports: readonly Scores[]) =>
    passports.map((scores) => findStanding(index, scores)),
  distribution: ({ index }: LiveIndex) => findDistribution(index),
  neighbours: ({ index }: LiveIndex, place: Place) => findNeighbours(index, place),
}

type Name = keyof typeof CALLS
type Argument<Of extends Name> = Parameters<(typeof CALLS)[Of]>[1]
type Answer<Of extends Name> = Awaited<ReturnType<(typeof CALLS)[Of]>>

/** A question of a feature, which the index thread answers. */
export type IndexQuestion<Argument, Answer> = {
  name: string
  answer(live: LiveIndex, argument: Argument): Awaitable<Answer>
}
export type AnyQuestion = IndexQuestion<never, unknown>

type Send = (question: AnyQuestion, argument: unknown, signal?: AbortSignal) => Promise<unknown>

export const createClient = (send: Send) => ({
  call: <Of extends Name>(name: Of, argument: Argument<Of>, signal?: AbortSignal) =>
    send({ name, answer: CALLS[name] }, argument, signal) as Promise<Answer<Of>>,
  ask: <Argument, Answer>(of: IndexQuestion<Argument, Answer>, argument: Argument, signal?: AbortSignal) =>
    send(of, argument, signal) as Promise<Answer>,
})

/**
 * The index for a thread. While there is none, it throws `not_ready`. The version rises after each change of the lists,
 * so that pages can be cached until then.
 */
export type IndexClient = ReturnType<typeof createClient> & { version(): Awaitable<number> }

/** Shared by all threads: the version, 0 while there is no index, and how many percent of it are built. */
export type IndexState = Int32Array<SharedArrayBuffer>
export const [VERSION, PERCENT] = [0, 1] as const
export const createIndexState = (): IndexState => new Int32Array(new SharedArrayBuffer(8))

export const notReady = (percent: number) =>
  new ServiceError('not_ready', `The index is being built: ${percent} % done. Try again shortly.`)

type Call = { name: string; argument: unknown }

/** The rate limit keeps one client from filling the queue. */
const MOST_WAITING = 2000
const LIMIT = {
  milliseconds: 10_000,
  error: () => new ServiceError('not_ready', 'The list takes too long. Try again shortly.'),
}

/** Calls the index thread. A call that waits is sent again to the thread that replaces it. */
export function createIndexClient() {
  const { connect, send } = createCaller<Call, unknown>('The index thread ended.', MOST_WAITING, true)
  let state = createIndexState()
  const version = () => {
    const current = Atomics.load(state, VERSION)
    if (current === 0) throw notReady(Atomics.load(state, PERCENT))
    return current
  }
  return {
    connect,
    share(shared: IndexState): void {
      state = shared
    },
    version,
    ...createClient(async ({ name }, argument, signal) => {
      version()
      return send({ name, argument }, { signal, limit: LIMIT })
    }),
  }
}

/** Answers the calls of a port. */
export const answerIndexCalls = (
  port: MessagePort,
  live: () => LiveIndex,
  questions: readonly AnyQuestion[] = [],
): void =>
  receiveCalls<Call, unknown>(port, async ({ name, argument }, isCancelled) => {
    // Messages that wait are received first: they may cancel the call.
    await new Promise(setImmediate)
    if (isCancelled()) throw new ClientGone()
    const answer = CALLS[name as Name] ?? questions.find((question) => question.name === name)?.answer
    return answer(live(), argument as never)
  })
