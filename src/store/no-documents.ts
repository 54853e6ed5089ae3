import type { DocumentStore } from './store.ts'

/** For an engine that keeps none. */
export const NO_DOCUMENTS: DocumentStore = {
  findPassport: () => undefined,
  findCredentials: () => undefined,
  make: () => 0,
}
