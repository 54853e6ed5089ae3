import { expect, test } from 'bun:test'
import { digestOfWallet } from '../../../src/core/passport/wallet-digest.ts'

const ADDRESS = '0xde30da39c46104798bb5aa3fe8b9e0e1f348163f'

test.each([
  ADDRESS.toUpperCase().replace('0X', '0x'),
  `eip155:1:${ADDRESS}`,
  ADDRESS.slice(2),
  `${ADDRESS}\u200b`,
  ` ${ADDRESS}`,
])('the spelling %j of a wallet has the same digest', (spelling) =>
  expect(digestOfWallet(spelling)).toBe(digestOfWallet(ADDRESS)),
)

test('wallets of other chains differ in case', () => {
  expect(digestOfWallet('AbcSolana')).not.toBe(digestOfWallet('abcsolana'))
})
