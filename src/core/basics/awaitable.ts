/** SQLite returns some values at once, PostgreSQL returns promises. */
export type Awaitable<T> = T | Promise<T>

/** Calls `work` with the value: at once, or when the promise resolves. */
export function then<T, Result>(
  value: Awaitable<T>,
  work: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(work) : work(value)
}
