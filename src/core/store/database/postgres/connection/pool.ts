import type { SQL } from 'bun'
import { overloaded, type ServiceError, unavailable } from '../../../../basics/errors.ts'
import { namePostgres, splitHosts } from '../../../database-address.ts'
import type { Query } from '../../../sql/connection.ts'
import {
  type Connections,
  connect,
  disconnect,
  LONG_STATEMENT,
  type PoolOptions,
  READ_MODE,
} from './connect.ts'
import { isLost, isReadOnly, toServiceError } from './errors.ts'

export type Pool = AsyncDisposable & {
  name: string
  /** Repeats the statement once if its connection breaks. */
  read: Query
  /** Like `read`, for statements that read many rows. */
  readLong: Query
  write: Query
  /** Row and advisory locks are held until the transaction ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** Does not wait for other statements. */
  ping(): Promise<{ writes: boolean }>
  close(): Promise<void>
}

/** How often pending calls are checked, and how often a server that is down is tried. */
const WATCH_MILLISECONDS = 250

/** More pending calls are refused, because a slow server would process them too late. */
const MOST_PENDING = 500

/** A call without a result. It fails `limit` milliseconds after the begin of its last statement. */
type Call = { begin: number; limit: number; reject(error: ServiceError): void }

type State = {
  readonly name: string
  readonly urls: readonly string[]
  readonly options: PoolOptions
  /** The oldest call is first. */
  readonly pending: Set<Call>
  connections?: Connections | undefined
  opening?: Promise<Connections> | undefined
  /** Why all calls are rejected. */
  down?: ServiceError | undefined
  isClosed?: true
  lastResult: number
}

/**
 * Connects on first use. Calls wait for a slow server. If it sends no result at all for `responseTimeout`, or refuses
 * new connections after one broke, all calls fail at once until it responds again.
 */
export function openPool(url: string, options: PoolOptions): Pool {
  const name = namePostgres(url)
  const state: State = { name, urls: splitHosts(url), options, pending: new Set(), lastResult: 0 }
  const run = (kind: keyof Connections, text: string, values: readonly unknown[] = []) =>
    call<never>(state, kind, (sql) => sql.unsafe(text, [...values]))
  const watchdog = watch(state)
  const close = async () => {
    clearInterval(watchdog)
    state.isClosed = true
    await markDown(state, unavailable(`${name} is closed.`))
  }
  return {
    name,
    read: (text, values) => repeatIfLost(() => run('short', text, values)),
    readLong: (text, values) => repeatIfLost(() => run('long', text, values)),
    write: (text, values) => run('short', text, values),
    transaction: (work, mode = '') =>
      call(state, 'long', (sql, restartLimit) =>
        sql.begin(mode, (connection) =>
          work((text, values = []) => {
            restartLimit()
            return connection.unsafe(text, [...values])
          }),
        ),
      ),
    async ping() {
      const [row] = await repeatIfLost<{ mode: string }[]>(() => run('probe', READ_MODE))
      return { writes: row?.mode === 'off' }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function repeatIfLost<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isLost(error)) throw error
    return read()
  }
}

/** Runs `work`, but rejects at its time limit, or as soon as the server is down. */
async function call<T>(
  state: State,
  kind: keyof Connections,
  work: (sql: SQL, restartLimit: () => void) => PromiseLike<T>,
): Promise<T> {
  const { name, options, pending } = state
  if (state.down) throw state.down
  if (pending.size >= MOST_PENDING) throw overloaded('The database has too many requests. Try again shortly.')
  const connections = state.opening ? await state.opening : (state.connections ?? (await open(state)))
  const { promise: end, reject } = Promise.withResolvers<never>()
  const { longStatement = LONG_STATEMENT, responseTimeout } = options
  const limit = 2 * (kind === 'long' ? longStatement : responseTimeout)
  const call: Call = { begin: performance.now(), limit, reject }
  const restartLimit = () => {
    call.begin = performance.now()
  }
  pending.add(call)
  try {
    const result = await Promise.race([work(connections[kind], restartLimit), end])
    state.lastResult = performance.now()
    return result
  } catch (error) {
    if (isLost(error) || (isReadOnly(error) && state.urls.length > 1)) reopen(state, connections)
    throw toServiceError(name, error)
  } finally {
    pending.delete(call)
  }
}

/** Opens connections, for which calls wait. */
function open(state: State): Promise<Connections> {
  state.opening ??= connect(state.name, state.urls, state.options)
    .then(
      (connections) => use(state, connections),
      (error) => {
        void markDown(state, error)
        throw state.down
      },
    )
    .finally(() => {
      state.opening = undefined
    })
  return state.opening
}

/** Replaces these connections, if they are still in use. Calls get the error of a failure. */
function reopen(state: State, old = state.connections): void {
  if (old === state.connections) open(state).catch(() => undefined)
}

function use(state: State, connections: Connections): Connections {
  const { connections: old, down, isClosed, name, options } = state
  if (isClosed) {
    void disconnect(connections)
    throw down
  }
  if (old) void disconnect(old, options.responseTimeout / 1000)
  if (down) options.onNotice?.(`${name} responds again.`)
  state.down = undefined
  state.connections = connections
  state.lastResult = performance.now()
  return connections
}

/** Rejects all calls. */
async function markDown(state: State, error: ServiceError): Promise<void> {
  const { connections, pending } = state
  if (connections && !state.isClosed) state.options.onNotice?.(error.message)
  state.down = error
  state.connections = undefined
  for (const call of pending) call.reject(error)
  if (connections) await disconnect(connections)
}

function watch(state: State): Timer {
  const { name, options, pending } = state
  let checkedAt = 0
  function check(): void {
    const now = performance.now()
    // If this thread was blocked, results may have arrived that it has not handled yet.
    const wasBlocked = now - checkedAt > 2 * WATCH_MILLISECONDS
    checkedAt = now
    if (state.down) reopen(state)
    const [oldest] = pending
    if (!oldest || wasBlocked || state.down || state.opening) return
    const silence = now - Math.max(oldest.begin, state.lastResult)
    if (silence > options.responseTimeout)
      return void markDown(state, unavailable(`${name} does not respond.`))
    // A long statement sends no result for minutes.
    if (silence > WATCH_MILLISECONDS)
      call(state, 'probe', (sql) => sql.unsafe('select 1')).catch(() => undefined)
    const late = [...pending].filter(({ begin, limit }) => now > begin + limit)
    for (const { reject } of late) reject(unavailable(`${name} is too slow.`))
    // Their connections may be dead.
    if (late.length > 0) reopen(state)
  }
  return setInterval(check, WATCH_MILLISECONDS).unref()
}
