import type { Awaitable, Store } from '../store/store.ts'
import type { Operation } from './metrics.ts'

/** The same store, which tells how long the questions of requests take. */
export function measureStore(store: Store, observe: (operation: Operation, seconds: number) => void): Store {
  function timed<A, T>(operation: Operation, ask: (argument: A) => Awaitable<T>) {
    const end = (begin: number) => observe(operation, (performance.now() - begin) / 1000)
    return (argument: A): Awaitable<T> => {
      const begin = performance.now()
      let result: Awaitable<T>
      try {
        result = ask(argument)
      } catch (error) {
        end(begin)
        throw error
      }
      if (result instanceof Promise) return result.finally(() => end(begin))
      end(begin)
      return result
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
