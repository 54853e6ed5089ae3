/** SQLite returns some values at once, PostgreSQL returns promises. */
export type Awaitable<T> = T | Promise<T>

/** Continues with a value: at once, unless it is a promise. */
export function then<T, Result>(
  value: Awaitable<T>,
  work: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(work) : work(value)
}
