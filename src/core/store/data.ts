import type { Database } from './sql/connection.ts'

/** The statements of a feature. Threads that serve requests send its `writes` to the writer thread. */
export type Data<S, Write extends keyof S = never> = {
  name: string
  /** Its tables. If the feature is deleted, a migration drops them. */
  tables?: readonly string[]
  open: (database: Database) => S
  writes?: readonly Write[]
  /** Its writes are sent even if many writes wait, because there is one at a time. */
  isUrgent?: true
}

/** The data of any feature. */
export type AnyData = {
  [Name in keyof Data<object>]: Name extends 'writes' ? readonly PropertyKey[] : Data<object>[Name]
}

/** Values that reach another thread unchanged. */
type Plain = string | number | boolean | bigint | null | undefined | Date | Uint8Array | RegExp

type Sendable<T> = T extends Plain
  ? T
  : T extends ((...args: never[]) => unknown) | Promise<unknown> | AbortSignal
    ? never
    : T extends ReadonlyMap<infer Key, infer Value>
      ? ReadonlyMap<Sendable<Key>, Sendable<Value>>
      : T extends ReadonlySet<infer Value>
        ? ReadonlySet<Sendable<Value>>
        : { [Name in keyof T]: Sendable<T[Name]> }

type Method = (...args: never[]) => unknown

/** The names of methods whose arguments can be sent to another thread. */
type SendableName<S> = {
  [Name in keyof S]: S[Name] extends (...args: infer Args) => unknown
    ? Args extends Sendable<Args>
      ? Name
      : never
    : never
}[keyof S]

export const defineData = <
  S extends { [Name in keyof S]: Method },
  const Write extends SendableName<S> = never,
>(
  data: Data<S, Write>,
): Data<S, Write> => data

type Later<F> = F extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never

/** Statements as their callers see them: the result of a write is a promise in every thread. */
type Opened<S, Write extends keyof S> = {
  [Name in keyof S]: Name extends Write ? Later<S[Name]> : S[Name]
}

/** Returns the statements of a feature. Aborting the signal cancels a write that has not begun. */
export type UseData = <S, Write extends keyof S>(
  data: Data<S, Write>,
  options?: { signal?: AbortSignal },
) => Opened<S, Write>

/** Opens the statements of each feature once. All of them run in this thread. */
export function createUseData(database: Database): UseData {
  const opened = new Map<unknown, unknown>()
  return (data) => opened.getOrInsertComputed(data, () => data.open(database)) as never
}

/** A call of the writer thread. */
export type WriteCall = { data: string; method: string; args: readonly unknown[] }

type SendWrite = (
  call: WriteCall,
  options: { isUrgent: boolean; signal?: AbortSignal | undefined },
) => Promise<unknown>

/** Reads run in this thread, writes are sent. */
export const sendWrites =
  (local: UseData, send: SendWrite): UseData =>
  (data, { signal } = {}) => {
    const { name, writes = [], isUrgent = false } = data
    const statements = local(data)
    if (writes.length === 0) return statements
    const toSent = (method: PropertyKey) => [
      method,
      (...args: unknown[]) => send({ data: name, method: String(method), args }, { isUrgent, signal }),
    ]
    return { ...statements, ...Object.fromEntries(writes.map(toSent)) }
  }

/** Runs sent writes of all features. No other methods can be called. */
export function createWriteAnswer(all: readonly AnyData[], local: UseData) {
  const known = new Map(all.map((data) => [data.name, data]))
  return async ({ data: name, method, args }: WriteCall): Promise<unknown> => {
    const data = known.get(name)
    if (!data?.writes?.includes(method)) throw new Error(`No feature has the write ${name}.${method}.`)
    const statements = local(data as Data<Record<string, (...args: readonly unknown[]) => unknown>>)
    return await statements[method]?.(...args)
  }
}
