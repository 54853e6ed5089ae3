import type { PassportRef } from '../domain/passport.ts'
import type { Awaitable, Document, Store } from '../store/store.ts'
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
  /** What is not there as a document is asked for in another way, which is measured. */
  function timedIfFound(operation: Operation, ask: (ref: PassportRef) => Document | undefined) {
    return (ref: PassportRef): Document | undefined => {
      const begin = performance.now()
      let isMissing = false
      try {
        const document = ask(ref)
        isMissing = document === undefined
        return document
      } finally {
        if (!isMissing) end(operation, begin)
      }
    }
  }
  const { passports, credentials, documents, keys } = store
  return {
    ...store,
    passports: {
      ...passports,
      find: timed('find', passports.find),
      list: timed('list', passports.list),
    },
    credentials: { ...credentials, list: timed('credentials', credentials.list) },
    documents: {
      ...documents,
      list: timed('list', documents.list),
      findPassport: timedIfFound('find', documents.findPassport),
      findCredentials: timedIfFound('credentials', documents.findCredentials),
    },
    keys: { ...keys, find: timed('key', keys.find) },
  }
}
