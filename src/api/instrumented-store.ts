import type { Catalog } from '../catalog/catalog.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Operation } from './metrics.ts'

type Observe = (operation: Operation, seconds: number) => void

/** The same store; `observe` is given the duration of each read that a request makes. */
export function instrumentStore(store: Store, observe: Observe): Store {
  const { passports, credentials, v1, keys } = store
  return {
    ...store,
    passports: { ...passports, find: timed('find', passports.find, observe) },
    credentials: { ...credentials, list: timed('credentials', credentials.list, observe) },
    v1: {
      findPassport: timed('find', v1.findPassport, observe),
      findCredentials: timed('credentials', v1.findCredentials, observe),
      listItems: timed('list', v1.listItems, observe),
    },
    keys: { ...keys, find: timed('key', keys.find, observe) },
  }
}

/** The same catalog; `observe` is given the duration of each search. */
export const instrumentCatalog = (catalog: Catalog, observe: Observe): Catalog => ({
  ...catalog,
  find: timed('search', catalog.find, observe),
})

function timed<A, T>(operation: Operation, ask: (argument: A) => Awaitable<T>, observe: Observe) {
  return async (argument: A): Promise<T> => {
    const begin = performance.now()
    try {
      return await ask(argument)
    } finally {
      observe(operation, (performance.now() - begin) / 1000)
    }
  }
}
