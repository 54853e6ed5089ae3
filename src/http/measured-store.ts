import type { Awaitable, Store } from '../store/store.ts'
import type { Operation } from './metrics.ts'

/** The same store, which tells how long the questions of requests take. */
export function measureStore(store: Store, observe: (operation: Operation, seconds: number) => void): Store {
  function timed<A, T>(operation: Operation, ask: (argument: A) => Awaitable<T>) {
    return (argument: A): Awaitable<T> => {
      const begin = performance.now()
      const end = () => observe(operation, (performance.now() - begin) / 1000)
      let later = false
      try {
        const result = ask(argument)
        later = result instanceof Promise
        return result instanceof Promise ? result.finally(end) : result
      } finally {
        if (!later) end()
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
