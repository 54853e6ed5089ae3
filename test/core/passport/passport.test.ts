import { expect, test } from 'bun:test'
import { parsePassportRef, walletsOf } from '../../../src/core/passport/passport.ts'
import { record } from '../../support/store/records.ts'

test.each([
  ['7', { id: 7 }],
  ['007', { id: 7 }],
  ['0', { id: 0 }],
  ['9007199254740991', { id: 9007199254740991 }],
  ['0xABCdef', { wallet: '0xabcdef' }],
  ['0XABC', { wallet: '0xabc' }],
  ['SoLanaCase', { wallet: 'SoLanaCase' }],
  ['-7', { wallet: '-7' }],
  ['7.0', { wallet: '7.0' }],
  ['٧', { wallet: '٧' }],
])('%s is parsed as the id or wallet of a passport', (text, ref) => {
  expect(parsePassportRef(text)).toEqual(ref)
})

test.each(['', '9007199254740992', '9'.repeat(400), 'x'.repeat(129)])('%s names no passport', (text) => {
  expect(parsePassportRef(text)).toBeUndefined()
})

test('the wallets of a passport are its main wallet and its verified wallets, without duplicates', () => {
  const wallets = walletsOf(record(1, { mainWallet: '0xa', verifiedWallets: ['0xb', '0xa', '0xb'] }))
  expect(wallets).toEqual(['0xa', '0xb'])
  expect(walletsOf(record(1))).toEqual([])
})
