import { expect, test } from 'bun:test'
import {
  isSignedBy,
  parseProvableWallet,
  parseSignature,
  writeChallenge,
} from '../../../src/features/own-record/wallet-proof.ts'

/** From the documentation of web3.js: the signature of "Some data". */
const SIGNER = '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23'
const DIGEST = '1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655'
const SIGNATURE =
  '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c'

test('a published signature of another implementation is accepted with v of 27 or 28, and of 0 or 1', async () => {
  expect(await isSignedBy(SIGNER, DIGEST, parseSignature(SIGNATURE))).toBe(true)
  expect(await isSignedBy(SIGNER, DIGEST, parseSignature(SIGNATURE.replace(/1c$/, '01')))).toBe(true)
})

test.each(['00', '1b', '02', '03', '1d', '1e', '1f', '26', 'ff'])('v of 0x%s is refused', async (v) => {
  expect(await isSignedBy(SIGNER, DIGEST, parseSignature(SIGNATURE.replace(/1c$/, v)))).toBe(false)
})

test('r and s of zero, of the order of the curve and beyond are refused', async () => {
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  const [r, s] = [SIGNATURE.slice(2, 66), SIGNATURE.slice(66, 130)]
  for (const bad of ['0'.repeat(64), order, 'f'.repeat(64)])
    for (const text of [`0x${bad}${s}1c`, `0x${r}${bad}1c`, `0x${bad}${bad}1b`])
      expect(await isSignedBy(SIGNER, DIGEST, parseSignature(text))).toBe(false)
})

test.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('the message has the address %s in the case of EIP-55', async (address) => {
  const wallet = parseProvableWallet(address)
  const { message } = await writeChallenge({
    origin: 'https://a.example:8443',
    wallet,
    nonce: 'n1n2n3n4',
    now: 0,
  })
  expect(message).toBe(`a.example:8443 wants you to sign in with your Ethereum account:
${address}

I want to see, hide, correct or remove my own record on this site. Signing this costs nothing and allows no payment.

URI: https://a.example:8443/me
Version: 1
Chain ID: 1
Nonce: n1n2n3n4
Issued At: 1970-01-01T00:00:00.000Z
Expiration Time: 1970-01-01T00:05:00.000Z`)
})

test.each(['', '0x12', 'zoe.eth', `0x${'g'.repeat(40)}`, 'DemoSo1anaAddressWhereCaseCounts11111111111'])(
  'the wallet %j is refused with the accepted form',
  (wallet) => {
    expect(() => parseProvableWallet(wallet)).toThrow('wallet must be an Ethereum address')
  },
)

test.each([
  ['', '0x and 65 bytes'],
  [SIGNATURE.slice(0, -2), '0x and 65 bytes'],
  [SIGNATURE.slice(2), '0x and 65 bytes'],
  [`${SIGNATURE}0`, '0x and 65 bytes'],
  [`${SIGNATURE}${'6492'.repeat(16)}`, 'it has 97 bytes, as those of contract wallets (EIP-1271, EIP-6492)'],
])('the signature %j is refused with the accepted form', (signature, reason) => {
  expect(() => parseSignature(signature)).toThrow(reason)
})
