import type { Awaitable, Store } from '../store/store.ts'
import type { Operation } from './metrics.ts'

/** The same store, which tells how long the questions of requests take. */
export function measureStore(store: Store, observe: (operation: Operation, seconds: number) => void): Store {
  const end = (operation: Operation, begin: number) => observe(operation, (performance.now() - begin) / 1000)

  function timed<A, T>(operation: Operation, ask: (argument: A) => Awaitable<T>) {
    return (argument: A): Awaitable<T> => {
      const begin = performance.now()
      let result: Awaitable<T> | undefined
      try {
        result = ask(argument)
        return result instanceof Promise ? result.finally(() => end(operation, begin)) : result
      } finally {
        if (!(result instanceof Promise)) end(operation, begin)
      }
    }
  }
  const { passports, credentials, keys } = store
  return {
    ...store,
    passports: {
      ...passports,
      find: timed('find', passports.find),
      list: timed('list', passports.list),
    },
    credentials: { ...credentials, list: timed('credentials', credentials.list) },
    keys: { ...keys, find: timed('key', keys.find) },
  }
}
