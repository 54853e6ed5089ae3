import { expect, test } from 'bun:test'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { V2_BODIES } from '../../../src/features/v2/statements.ts'
import { parse, parsePassport } from '../../support/mirror/parse-record.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ada, record } from '../../support/store/records.ts'

const later = {
  imageUrl: 'https://example.com/ada.png',
  mainWalletChangedAt: Date.UTC(2024, 4, 6),
  nominations: 3,
}

async function present(passport: PassportRecord, cards = '') {
  await using store = await openTestStore('sqlite', [passport])
  const response = await store.data(V2_BODIES).findPassport({ id: 7 }, cards)
  return JSON.parse(response?.body ?? '').passport
}

test('the parser knows every field of a passport in a V2 response, including the fields that only V2 shows', async () => {
  const { record, unknownFields } = parse(await present({ ...ada, ...later, stale: false }))
  expect(unknownFields).toBe(0)
  const { credentials: _, stale: __, ...rest } = ada
  expect(record).toEqual({ kind: 'passport', passport: { ...rest, ...later } })
})

test('a card that V2 shows instead of an image does not become the image of the record', async () => {
  const shown = await present(record(7), 'https://example.com/card/')
  expect(shown.passport_profile.image_url).toBe('https://example.com/card/7.png')
  expect(parsePassport(shown).imageUrl).toBeUndefined()
  expect(parsePassport({ ...shown, passport_id: 8 }).imageUrl).toBe('https://example.com/card/7.png')
})
