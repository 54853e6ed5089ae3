import type { Credential } from '../../domain/credential.ts'

/** The JSON in which the credentials of a passport are stored, those that are not shown included. */
export const toCredentialData = (credentials: readonly Credential[]): string =>
  JSON.stringify(credentials.toSorted((one, other) => (one.id < other.id ? -1 : 1)))

export const fromCredentialData = (data: string | undefined): Credential[] =>
  data === undefined ? [] : JSON.parse(data)

/** New credentials; one that scoring left as it was keeps the time of its last calculation. */
export function keepUnchanged(
  before: readonly Credential[],
  after: readonly Credential[],
): readonly Credential[] {
  const old = new Map(before.map((credential) => [credential.id, credential]))
  return after.map((credential) => {
    const same = old.get(credential.id)
    return same && isSame(same, credential) ? same : credential
  })
}

const isSame = (before: Credential, after: Credential) =>
  Bun.deepEquals({ ...before, calculatedAt: after.calculatedAt }, after)
