import { expect } from 'bun:test'
import { byScore, type Credential } from '../../../src/domain/credential.ts'
import type { FullPassport, PassportRef } from '../../../src/domain/passport.ts'
import type { PassportRecord } from '../../../src/domain/record/record.ts'
import {
  presentCredential,
  presentListedPassport,
  presentPassport,
  toShownFields,
} from '../../../src/domain/record/record.ts'
import { presentListedPassportV2, presentPassportV2 } from '../../../src/domain/v2/present.ts'
import { etagOf } from '../../../src/store/hash.ts'
import type { Store } from '../../../src/store/store.ts'

const ALL = 1000

export type Shown = ReadonlyMap<number, string>

const withEtag = (body: string) => ({ body, etag: etagOf(body) })

/**
 * Compares every stored V1 response, and the V2 response made from it, with the stored data. A stale passport must show the credentials that it showed `before`.
 * Returns the credentials that are shown now.
 */
export async function expectV1(
  store: Store,
  refs: readonly PassportRef[],
  before: Shown = new Map(),
): Promise<Shown> {
  const shown = await credentialsOf(store, before)
  const records = new Map((await store.records.list(-1, ALL)).map((each) => [each.id, each]))
  for (const ref of refs) {
    const passport = await store.passports.find(ref)
    const expected = passport && {
      passport: {
        ...withEtag(JSON.stringify({ passport: presentPassport(passport) })),
        id: passport.id,
        merged: Number(passport.merged),
      },
      credentials: withEtag(shown.get(passport.id) as string),
    }
    expect({
      ref,
      passport: await store.v1.findPassport(ref),
      credentials: await store.v1.findCredentials(ref),
    }).toMatchObject({ ref, passport: expected?.passport, credentials: expected?.credentials })
    expect(await store.v2.findPassport(ref)).toEqual(passport && renderV2(passport, records.get(passport.id)))
  }
  const ids = (await store.records.list(-1, ALL)).map(({ id }) => id)
  const listed = await store.passports.listByIds(ids)
  const items = listed.map((passport) => JSON.stringify(presentListedPassport(passport)))
  expect(await store.v1.listItems(ids)).toEqual(items)
  const itemsV2 = listed.map((passport) =>
    JSON.stringify(
      presentListedPassportV2(presentListedPassport(passport), laterOf(records.get(passport.id))),
    ),
  )
  expect(await store.v2.listItems(ids)).toEqual(itemsV2)
  return shown
}

const laterOf = (record: PassportRecord | undefined) => toShownFields(record ?? {}, record?.socials ?? [])

function renderV2(passport: FullPassport, record: PassportRecord | undefined) {
  const body = { passport: presentPassportV2(presentPassport(passport), laterOf(record)) }
  return { ...withEtag(JSON.stringify(body)), id: passport.id, merged: Number(passport.merged) }
}

async function credentialsOf(store: Store, before: Shown): Promise<Shown> {
  const records = await store.records.list(-1, ALL)
  return new Map(
    records
      .filter(({ mergedInto }) => mergedInto === undefined)
      .map(({ id, stale, credentials = [] }) => [id, (stale && before.get(id)) || render(credentials)]),
  )
}

function render(credentials: readonly Credential[]): string {
  const shown = credentials.filter(({ superseded }) => !superseded).toSorted(byScore)
  return JSON.stringify({ passport_credentials: shown.map(presentCredential) })
}
