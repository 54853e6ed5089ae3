import type { Awaitable } from '../basics/awaitable.ts'
import { ClientGone, ServiceError } from '../basics/errors.ts'
import { createCaller, receiveCalls } from '../basics/thread-calls.ts'
import type { EventCursor } from '../history/event-cursor.ts'
import type { Filter } from '../lists/filter.ts'
import type { MoversRequest, Position, ScoreField } from '../lists/list-request.ts'
import { SAVED_INDEX } from '../store/sql/saved-index.ts'
import type { Store } from '../store/store.ts'
import type { ListRequest } from './find.ts'
import { findInLiveIndex, isOutdated, type LiveIndex, openLiveIndex, updateIndex } from './live.ts'
import { type SearchRequest, search } from './search.ts'
import { countBefore, findDistribution, findPeers, rankOf } from './standing.ts'

type Scores = Partial<Record<ScoreField, number>>

/** What other threads ask the thread of the index. */
const CALLS = {
  list: (live: LiveIndex, { request, after }: { request: ListRequest; after?: EventCursor | undefined }) =>
    findInLiveIndex(live, request, after),
  movers: (live: LiveIndex, request: MoversRequest) => live.movers(live, request),
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
}

type Name = keyof typeof CALLS
type Argument<Of extends Name> = Parameters<(typeof CALLS)[Of]>[1]
type Answer<Of extends Name> = Awaited<ReturnType<(typeof CALLS)[Of]>>
type Call = { name: Name; argument: unknown }

/** The index for a thread. While there is none, it throws `not_ready`. */
export type IndexClient = {
  call<Of extends Name>(name: Of, argument: Argument<Of>, signal?: AbortSignal): Promise<Answer<Of>>
  /** Rises after each change of the lists, so that pages can be cached until then. */
  version(): Awaitable<number>
}

/** Shared by all threads: the version, 0 while there is no index, and how many percent of it are built. */
export type IndexState = Int32Array<SharedArrayBuffer>
export const [VERSION, PERCENT] = [0, 1] as const
export const createIndexState = (): IndexState => new Int32Array(new SharedArrayBuffer(8))

/** The rate limit keeps one client from filling the queue. */
const MOST_WAITING = 2000
const LONGEST_CALL_MILLISECONDS = 10_000

const limit = {
  milliseconds: LONGEST_CALL_MILLISECONDS,
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
    async call<Of extends Name>(name: Of, argument: Argument<Of>, signal?: AbortSignal): Promise<Answer<Of>> {
      version()
      return (await send({ name, argument }, { signal, limit })) as Answer<Of>
    },
  } satisfies IndexClient & Record<string, unknown>
}

export const notReady = (percent: number) =>
  new ServiceError('not_ready', `The index is being built: ${percent} % done. Try again shortly.`)

const answer = (live: LiveIndex, { name, argument }: Call) =>
  (CALLS[name] as (index: LiveIndex, argument: unknown) => unknown)(live, argument)

/** Answers the calls of a port. */
export const answerIndexCalls = (port: MessagePort, live: () => LiveIndex): void =>
  receiveCalls<Call, unknown>(port, async (call, isCancelled) => {
    // Messages that wait are received first: they may cancel the call.
    await new Promise(setImmediate)
    if (isCancelled()) throw new ClientGone()
    return answer(live(), call)
  })

/** An index in this thread, which is opened at the first call. Each call reads the changes of the store first. */
export function createLocalIndex(
  store: Pick<Store, 'listing' | 'events' | 'data'>,
  options: { signal?: AbortSignal } = {},
): IndexClient {
  const copy = { read: store.data(SAVED_INDEX).read, write: () => Promise.resolve() }
  let opened: Promise<LiveIndex> | undefined
  let [version, cursor] = [0, '']

  async function readLatest(): Promise<LiveIndex> {
    opened ??= openLiveIndex(store, copy, options)
    const opening = opened
    const forget = () => {
      if (opened === opening) opened = undefined
    }
    const live = await opening.catch((error) => {
      forget()
      throw error
    })
    await updateIndex(live)
    if (!isOutdated(live)) return live
    forget()
    return readLatest()
  }

  return {
    async call<Of extends Name>(name: Of, argument: Argument<Of>, signal?: AbortSignal): Promise<Answer<Of>> {
      if (signal?.aborted) throw new ClientGone()
      return (await answer(await readLatest(), { name, argument })) as Answer<Of>
    },
    async version() {
      const live = await readLatest()
      if (live.cursor !== cursor) version++
      cursor = live.cursor
      return version
    },
  }
}
