import type { FrozenVersion } from '../../support/frozen/frozen-version.ts'

/** Its responses are made of what v3 reads. */
export const LATER: FrozenVersion = {
  readBodies: async () => ({}),
  paths: (key) => [`/profile?id=${key}`, `/accounts?id=${key}`],
  indexedReads: [],
}
