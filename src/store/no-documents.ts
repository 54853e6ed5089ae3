import type { DocumentStore, Store } from './store.ts'

/** For an engine that keeps none. */
export const noDocuments = ({ list }: Pick<Store['passports'], 'list'>): DocumentStore => ({
  findPassport: () => undefined,
  findCredentials: () => undefined,
  list,
  make: () => 0,
})
