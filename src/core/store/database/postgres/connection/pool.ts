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

export type Pool = ReturnType<typeof openPool>

/** How often pending calls are checked, and how often a server that is down is tried. */
const WATCH_MILLISECONDS = 250

/** More pending calls are refused, because a slow server would process them too late. */
const MOST_PENDING = 500

/** A call without a result, which fails at `deadline`. */
type Call = { deadline: number; reject(error: ServiceError): void }

type State = {
  readonly name: string
  readonly urls: readonly string[]
  readonly options: PoolOptions
  readonly pending: Set<Call>
  connections?: Connections | undefined
  opening?: Promise<Connections> | undefined
  down?: ServiceError | undefined
  isClosed?: true
  /** When the last result arrived, or the first pending call began. */
  lastSign: number
  checkedAt: number
}

/**
 * Connects on first use. If the server sends no result for `responseTimeout`, or refuses connections after one broke,
 * all calls fail at once until it responds again.
 */
export function openPool(url: string, options: PoolOptions) {
  const name = namePostgres(url)
  const state: State = { name, urls: splitHosts(url), options, pending: new Set(), lastSign: 0, checkedAt: 0 }
  const watchdog = setInterval(() => checkConnection(state), WATCH_MILLISECONDS).unref()
  const run =
    (kind: keyof Connections): Query =>
    (text, values = []) =>
      call(state, kind, async (sql) => toNumbers(await sql.unsafe(text, [...values])))
  const runRead =
    (kind: keyof Connections): Query =>
    (text, values) =>
      repeatIfLost(() => run(kind)(text, values))
  async function close() {
    clearInterval(watchdog)
    state.isClosed = true
    await markDown(state, unavailable(`${name} is closed.`))
  }
  return {
    name,
    /** Repeats the statement once if its connection breaks. */
    read: runRead('short'),
    /** Like `read`, for statements that read many rows. */
    readLong: runRead('long'),
    write: run('short'),
    /** Row and advisory locks are held until the transaction ends. */
    transaction: <T>(work: (query: Query) => Promise<T>): Promise<T> => transact(state, '', work),
    /** All reads of `work` see the same state. It is repeated once if its connection breaks. */
    snapshot: <T>(work: (query: Query) => Promise<T>): Promise<T> =>
      repeatIfLost(() => transact(state, 'isolation level repeatable read read only', work)),
    /** Does not wait for other statements. */
    async ping() {
      const [row] = await runRead('probe')<{ mode: string }>(READ_MODE)
      return { writes: row?.mode === 'off' }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const transact = <T>(state: State, mode: string, work: (query: Query) => Promise<T>) =>
  call(state, 'long', (sql, restartLimit) =>
    sql.begin(mode, (connection) =>
      work(async (text, values = []) => {
        restartLimit()
        return toNumbers(await connection.unsafe(text, [...values]))
      }),
    ),
  )

/** All stored integers are safe integers. */
function toNumbers<Row>(rows: readonly Row[]) {
  for (const row of rows as Record<string, unknown>[])
    for (const name in row) if (typeof row[name] === 'bigint') row[name] = Number(row[name])
  // A plain array, as on SQLite.
  return [...rows]
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
  const { name, urls, pending, options } = state
  const { responseTimeout, longStatement = LONG_STATEMENT } = options
  if (state.down) throw state.down
  if (pending.size >= MOST_PENDING) throw overloaded('The database has too many requests. Try again shortly.')
  const connections = state.opening ? await state.opening : (state.connections ?? (await open(state)))
  const { promise: end, reject } = Promise.withResolvers<never>()
  const call: Call = { deadline: 0, reject }
  const restartLimit = () => {
    call.deadline = performance.now() + 2 * (kind === 'long' ? longStatement : responseTimeout)
  }
  restartLimit()
  if (pending.size === 0) state.lastSign = performance.now()
  pending.add(call)
  try {
    const result = await Promise.race([work(connections[kind], restartLimit), end])
    state.lastSign = performance.now()
    return result
  } catch (error) {
    const isStale = isLost(error) || (isReadOnly(error) && urls.length > 1)
    if (isStale && connections === state.connections) reopen(state)
    throw toServiceError(name, error)
  } finally {
    pending.delete(call)
  }
}

/** Opens connections, for which calls wait. */
function open(state: State): Promise<Connections> {
  state.opening ??= replaceConnections(state).finally(() => {
    state.opening = undefined
  })
  return state.opening
}

/** Calls get the error of a failure. */
const reopen = (state: State) => void open(state).catch(() => undefined)

async function replaceConnections(state: State): Promise<Connections> {
  const { name, urls, options } = state
  const opened = await repeatIfLost(() => connect(name, urls, options)).catch((error) => {
    void markDown(state, error)
  })
  if (opened && state.isClosed) void disconnect(opened)
  if (!opened || state.isClosed) throw state.down
  if (state.down) options.onNotice?.(`${name} responds again.`)
  // The old ones finish their statements.
  if (state.connections) void disconnect(state.connections, options.responseTimeout / 1000)
  state.down = undefined
  state.connections = opened
  state.lastSign = performance.now()
  return opened
}

async function markDown(state: State, error: ServiceError): Promise<void> {
  const { connections, pending, isClosed, options } = state
  if (connections && !isClosed) options.onNotice?.(error.message)
  state.down = error
  state.connections = undefined
  for (const call of pending) call.reject(error)
  if (connections) await disconnect(connections)
}

function checkConnection(state: State): void {
  const { name, options, pending } = state
  const now = performance.now()
  // If this thread was blocked, results may have arrived that it has not handled yet.
  const wasBlocked = now - state.checkedAt > 2 * WATCH_MILLISECONDS
  state.checkedAt = now
  if (state.down) reopen(state)
  if (pending.size === 0 || wasBlocked || state.down || state.opening) return
  const silence = now - state.lastSign
  if (silence > options.responseTimeout) return void markDown(state, unavailable(`${name} does not respond.`))
  // A long statement sends no result for minutes.
  if (silence > WATCH_MILLISECONDS)
    call(state, 'probe', (sql) => sql.unsafe('select 1')).catch(() => undefined)
  const late = [...pending].filter(({ deadline }) => now > deadline)
  for (const { reject } of late) reject(unavailable(`${name} is too slow.`))
  // Their connections may be dead.
  if (late.length > 0) reopen(state)
}
