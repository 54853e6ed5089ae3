/** Some functions return their value at once. */
export type Awaitable<T> = T | Promise<T>

/** Calls `next` with the value, at once if it is known: awaiting a known value takes longer than most reads. */
export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value)

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
