/** SQLite returns some values at once, PostgreSQL returns promises. */
export type Awaitable<T> = T | Promise<T>

/** Continues with a value: at once, unless it is a promise. */
export function then<T, Result>(
  value: Awaitable<T>,
  work: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(work) : work(value)
}

/** Returns a function that runs works one at a time, first in, first out. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    // The caller gets the error; the next work starts in any case.
    last = result.catch(() => undefined)
    return result
  }
}
