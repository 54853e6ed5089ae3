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

export type AnyData = {
  [Name in keyof Data<object>]: Name extends 'writes' ? readonly PropertyKey[] : Data<object>[Name]
}

type Method = (...args: never[]) => unknown

/** The names of methods that another thread can run: their result is a promise, and their arguments can be copied. */
type SendableName<S> = {
  [Name in keyof S]: S[Name] extends (...args: infer Args) => Promise<unknown>
    ? Extract<Args[number], Method | AbortSignal> extends never
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

/** Returns the statements of a feature. Aborting the signal cancels a write that has not begun. */
export type UseData = <S, Write extends keyof S>(
  data: Data<S, Write>,
  options?: { signal?: AbortSignal },
) => S

/** Opens the statements of each feature once. All of them run in this thread. */
export function createUseData(database: Database): UseData {
  const opened = new Map<unknown, unknown>()
  return (data) => opened.getOrInsertComputed(data, () => data.open(database)) as never
}

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
