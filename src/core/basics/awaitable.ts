/** SQLite returns some values at once, PostgreSQL returns promises. */
export type Awaitable<T> = T | Promise<T>

/** Calls `work` with the value: at once, or when the promise resolves. */
export function then<T, Result>(
  value: Awaitable<T>,
  work: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(work) : work(value)
}

/** Returns a function that runs async functions one at a time, in the order of the calls, after `ready` resolves. */
export function createTurns(ready = Promise.resolve()) {
  let last: Promise<unknown> = ready
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work)
    // The caller gets the error. The next function starts even after an error.
    last = result.catch(() => undefined)
    return result
  }
}
