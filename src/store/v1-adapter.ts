import { presentCredential, presentListedPassport, presentPassport } from '../domain/v1/present.ts'
import { etagOf } from './hash.ts'
import type { Store } from './store.ts'

/** Renders V1 bodies from rows, for engines that do not store them. */
export function withV1(store: Omit<Store, 'v1'>): Store {
  const render = (value: unknown) => {
    const body = JSON.stringify(value)
    return { body, etag: etagOf(body) }
  }
  return {
    ...store,
    v1: {
      async findPassport(ref) {
        const passport = await store.passports.find(ref)
        if (!passport) return undefined
        const { id, merged } = passport
        return { ...render({ passport: presentPassport(passport) }), id, merged }
      },
      async findCredentials(ref) {
        const passport = await store.passports.find(ref)
        if (!passport) return undefined
        const credentials = await store.credentials.list(passport.id)
        return render({ passport_credentials: credentials.map(presentCredential) })
      },
      async listItems(ids) {
        const found = await Promise.all(ids.map((id) => store.passports.find({ id })))
        return found
          .filter((passport) => passport !== undefined)
          .sort((one, other) => other.scores.total - one.scores.total || one.id - other.id)
          .map((passport) => JSON.stringify(presentListedPassport(passport)))
      },
    },
  }
}
