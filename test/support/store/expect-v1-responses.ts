import { expect } from 'bun:test'
import { etagOf } from '../../../src/core/basics/hash.ts'
import { byScore, type Credential } from '../../../src/core/passport/credential.ts'
import type { FullPassport, PassportRef } from '../../../src/core/passport/passport.ts'
import {
  presentCredential,
  presentListedPassport,
  presentPassport,
  toShownFields,
} from '../../../src/core/passport/present.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { presentListedPassportV2, presentPassportV2 } from '../../../src/features/v2/present.ts'
import { CREDENTIAL_BODIES, V1_BODIES, V2_BODIES } from './open.ts'

export type Shown = ReadonlyMap<number, string>

const withEtag = (body: string) => ({ body, etag: etagOf(body) })

/**
 * Compares every stored V1 response, and the V2 response made from it, with the stored data. A stale passport must show
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
      passport: passport && renderPassport(passport, presentPassport(passport)),
      credentials: passport && withEtag(shown.get(passport.id) as string),
    })
    const v2 = passport && presentPassportV2(presentPassport(passport), laterOf(records.get(passport.id)))
    expect(await store.data(V2_BODIES).findPassport(ref)).toEqual(passport && renderPassport(passport, v2))
  }
  const ids = [...records.keys()]
  const listed = (await store.passports.listByIds(ids)).toSorted(
    (one, other) => other.scores.total - one.scores.total || one.id - other.id,
  )
  const items = listed.map((passport) => JSON.stringify(presentListedPassport(passport)))
  expect(await store.data(V1_BODIES).listItems(ids)).toEqual(items)
  const itemsV2 = listed.map((passport) =>
    JSON.stringify(
      presentListedPassportV2(presentListedPassport(passport), laterOf(records.get(passport.id))),
    ),
  )
  expect(await store.data(V2_BODIES).listItems(ids)).toEqual(itemsV2)
  return shown
}

const laterOf = (record: PassportRecord | undefined) => toShownFields(record ?? {}, record?.socials ?? [])

const renderPassport = ({ id, merged }: FullPassport, passport: unknown) => ({
  ...withEtag(JSON.stringify({ passport })),
  id,
  merged: Number(merged),
})

function render(credentials: readonly Credential[]): string {
  const shown = credentials.filter(({ superseded }) => !superseded).toSorted(byScore)
  return JSON.stringify({ passport_credentials: shown.map(presentCredential) })
}
