/** Some functions return their value at once. */
export type Awaitable<T> = T | Promise<T>

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
