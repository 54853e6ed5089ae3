import { expect } from 'bun:test'
import { byScore, type Credential } from '../../../src/core/passport/credential.ts'
import type { FullPassport, PassportRef } from '../../../src/core/passport/passport.ts'
import { presentCredential } from '../../../src/core/passport/present.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { CREDENTIAL_BODIES, V1_BODIES } from '../../../src/features/v1/statements.ts'
import { presentListedV1, presentV1 } from '../../support/mirror/present-v1.ts'

export type Shown = ReadonlyMap<number, string>

/**
 * Compares every V1 response with the stored data. A stale passport must show
 * the credentials that it showed `before`. Returns the credentials that are shown now.
 */
export async function expectV1(
  store: Store,
  refs: readonly PassportRef[],
  before: Shown = new Map(),
): Promise<Shown> {
  const records = new Map((await store.records.list(-1, 1000)).map((each) => [each.id, each]))
  const shown = new Map<number, string>()
  for (const [id, { mergedInto, stale, credentials = [] }] of records)
    if (mergedInto === undefined) shown.set(id, (stale && before.get(id)) || render(credentials))
  for (const ref of refs) {
    const passport = await store.passports.find(ref)
    expect({
      ref,
      passport: await store.data(V1_BODIES).findPassport(ref),
      credentials: await store.data(CREDENTIAL_BODIES).find(ref),
    }).toMatchObject({
      ref,
      passport: passport && renderPassport(passport, presentV1(passport)),
      credentials: passport && shown.get(passport.id),
    })
  }
  const ids = [...records.keys()]
  const items = (await listByRank(store, ids)).map((passport) => JSON.stringify(presentListedV1(passport)))
  expect(await store.data(V1_BODIES).rankItems(ids)).toEqual(items)
  return shown
}

/** Highest score first, equal scores by id. */
export const listByRank = async (store: Store, ids: readonly number[]) =>
  (await store.passports.listByIds(ids)).toSorted(
    (one, other) => other.scores.total - one.scores.total || one.id - other.id,
  )

export const renderPassport = ({ id, merged }: FullPassport, passport: unknown) => ({
  body: JSON.stringify({ passport }),
  id,
  merged: Number(merged),
})

function render(credentials: readonly Credential[]): string {
  const shown = credentials.filter(({ superseded }) => !superseded).toSorted(byScore)
  return JSON.stringify({ passport_credentials: shown.map(presentCredential) })
}
