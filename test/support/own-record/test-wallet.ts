import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { record } from '../store/records.ts'

/** The order of the curve: n - s is the other valid s of a signature. */
const ORDER = secp256k1.Point.CURVE().n

/** A wallet whose key is known only to the test. */
export function createWallet(seed: number) {
  const key = new Uint8Array(32).fill(seed)
  const address = `0x${keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(-20).toHex()}`

  /** Signs as wallets do: r, s and v. */
  function sign(message: string): string {
    const bytes = Buffer.from(message)
    const digest = keccak_256(
      Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes]),
    )
    const [recovery = 0, ...rest] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
    return `0x${Uint8Array.from([...rest, 27 + recovery]).toHex()}`
  }

  return { address, sign }
}

/** The same signature in its other form: with the high s, which some verifiers accept. */
export function toHighS(signature: string): string {
  const s = ORDER - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
}

export const ZOE = createWallet(7)
export const MALLORY = createWallet(66)

/** Zoe has passport 70, Mallory 66, and passport 71 is merged into Zoe's. */
export const OLD_WALLET = createWallet(71)
export const WALLET_PEOPLE = [
  record(70, {
    profile: { displayName: 'Zoë Lanternbrook', bio: 'Lamps' },
    mainWallet: ZOE.address,
    scores: { total: 9 },
  }),
  record(66, { profile: { displayName: 'Mallory' }, mainWallet: MALLORY.address }),
  record(71, { mainWallet: OLD_WALLET.address, mergedInto: 70 }),
]
