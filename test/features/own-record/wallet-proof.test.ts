import { expect, test } from 'bun:test'
import {
  isSignedBy,
  parseProvableWallet,
  parseSignature,
  writeChallenge,
} from '../../../src/features/own-record/wallet-proof.ts'
import type { Reply } from '../../support/http/server.ts'
import { MINUTE, serveMe } from '../../support/own-record/me-server.ts'
import { MALLORY, toHighS, ZOE } from '../../support/own-record/test-wallet.ts'
import { SUBJECTS } from '../../support/store/open.ts'

/** Attempts without a valid proof. Each gets a new challenge of Zoe. */
type Attempt = (
  me: Awaited<ReturnType<typeof serveMe>>,
  given: { message: string; nonce: string },
) => Promise<Reply>

const altered =
  (change: (message: string) => string): Attempt =>
  (me, { message, nonce }) =>
    me.session(ZOE.address, nonce, ZOE.sign(change(message)))

const resigned =
  (change: (signature: string) => string): Attempt =>
  (me, { message, nonce }) =>
    me.session(ZOE.address, nonce, change(ZOE.sign(message)))

const BATTERY: [name: string, status: number, Attempt][] = [
  ['a message for another domain', 403, altered((text) => text.replace(/^127\.0\.0\.1:\d+/, 'evil.example'))],
  [
    'a message for another URI',
    403,
    altered((text) => text.replace(/URI: \S+/, 'URI: https://evil.example/me')),
  ],
  ['a message for another chain', 403, altered((text) => text.replace('Chain ID: 1', 'Chain ID: 137'))],
  ['a message with a later end', 403, altered((text) => text.replace(/(Expiration Time: )\d+/, '$12099'))],
  ['an altered statement', 403, altered((text) => text.replace('I want', 'I do not want'))],
  ['a message with a line more', 403, altered((text) => `${text}\nResources:`)],
  [
    'the signature of another wallet',
    403,
    (me, { message, nonce }) => me.session(ZOE.address, nonce, MALLORY.sign(message)),
  ],
  [
    'the challenge of another wallet',
    403,
    (me, { message, nonce }) => me.session(MALLORY.address, nonce, MALLORY.sign(message)),
  ],
  ['an unknown nonce', 403, (me, { message }) => me.session(ZOE.address, 'f'.repeat(32), ZOE.sign(message))],
  ['a malleable signature with a high s', 403, resigned(toHighS)],
  ['the other v', 403, resigned((text) => text.replace(/..$/, (v) => (v === '1b' ? '1c' : '1b')))],
  ['v of 29', 403, resigned((text) => text.replace(/..$/, '1d'))],
  ['v of 2', 403, resigned((text) => text.replace(/..$/, '02'))],
  ['r of zero', 403, resigned((text) => `0x${'0'.repeat(64)}${text.slice(66)}`)],
  ['a truncated signature', 400, resigned((text) => text.slice(0, -2))],
  ['a signature of a contract wallet', 400, resigned((text) => `${text}${'00'.repeat(32)}`)],
  ['an empty signature', 400, resigned(() => '')],
  [
    'an expired challenge',
    403,
    (me, { message, nonce }) => {
      me.clock.time += 5 * MINUTE
      return me.session(ZOE.address, nonce, ZOE.sign(message))
    },
  ],
  [
    'a replayed signature',
    403,
    async (me, { message, nonce }) => {
      const first = await me.session(ZOE.address, nonce, ZOE.sign(message))
      expect(first.status).toBe(200)
      return me.session(ZOE.address, nonce, ZOE.sign(message))
    },
  ],
  [
    'a challenge after a wrong signature',
    403,
    async (me, { message, nonce }) => {
      await me.session(ZOE.address, nonce, MALLORY.sign(message))
      return me.session(ZOE.address, nonce, ZOE.sign(message))
    },
  ],
]

test('none of 20 wrong proofs opens a session', async () => {
  await using me = await serveMe()
  const results: unknown[] = []
  for (const [name, , attempt] of BATTERY) {
    const { status, body, headers } = await attempt(me, await me.challenge())
    results.push([name, status, body.token, headers.get('Cache-Control')])
  }
  expect(results).toEqual(BATTERY.map(([name, status]) => [name, status, undefined, 'no-store']))
  expect(me.errors).toEqual([])
})

test('of many requests with the same signature at once, one opens a session', async () => {
  await using me = await serveMe()
  const { message, nonce } = await me.challenge()
  const signature = ZOE.sign(message)
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => me.session(ZOE.address, nonce, signature)),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...new Array(7).fill(403)])
})

test('none of the wrong tokens opens the record', async () => {
  await using me = await serveMe()
  const token = await me.signIn()
  const { nonce } = await me.challenge()
  const wrong = [
    ...['', 'x', token.slice(0, -1), `${token}A`, token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    token.replace(ZOE.address, MALLORY.address),
    `${ZOE.address} ${nonce}`,
    `${ZOE.address}.${nonce}`,
  ]
  for (const given of wrong)
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { hidden: true }],
      ['DELETE', ''],
      ['POST', '/requests', { text: 'x' }],
    ] as const) {
      const { status, headers } = await me.call(method, path, body, given)
      expect([given, method, status, headers.get('Cache-Control')]).toEqual([given, method, 401, 'no-store'])
      expect(headers.get('WWW-Authenticate')).toBe('Bearer realm="passportd"')
    }
  expect((await me.call('GET', '', undefined, token)).status).toBe(200)
  me.clock.time += 60 * MINUTE
  expect((await me.call('GET', '', undefined, token)).status).toBe(401)
  expect(await me.store.data(SUBJECTS).find(ZOE.address)).toMatchObject({ id: 70, hidden: false })
})

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

test.each([
  ['', '0x and 65 bytes'],
  [SIGNATURE.slice(0, -2), '0x and 65 bytes'],
  [SIGNATURE.slice(2), '0x and 65 bytes'],
  [`${SIGNATURE}0`, '0x and 65 bytes'],
  [`${SIGNATURE}${'6492'.repeat(16)}`, 'it has 97 bytes, as those of contract wallets (EIP-1271, EIP-6492)'],
])('the signature %j is refused with the accepted form', (signature, reason) => {
  expect(() => parseSignature(signature)).toThrow(reason)
})
