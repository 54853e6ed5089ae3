import { invalidValue } from '../errors.ts'
import { quote } from '../text/quote.ts'

/** How long a challenge is valid. */
export const CHALLENGE_MILLISECONDS = 5 * 60_000

const STATEMENT =
  'I want to see, hide, correct or remove my own record on this site. Signing this costs nothing and allows no payment.'

/** Returns a wallet whose signatures can be checked, in lower case. */
export function parseProvableWallet(given: string): string {
  const wallet = given.trim().toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(wallet)) return wallet
  throw invalidValue(
    '#/wallet',
    `wallet must be an Ethereum address, 0x and 40 hexadecimal digits, got ${quote(given)}: signatures of other chains cannot be checked here.`,
  )
}

type Challenge = { origin: string; wallet: string; nonce: string; now: number }

/** Writes the message that the wallet has to sign (EIP-4361), and the digest of it that wallets sign (EIP-191). */
export async function writeChallenge({ origin, wallet, nonce, now }: Challenge) {
  const message = `${new URL(origin).host} wants you to sign in with your Ethereum account:
${await toChecksumAddress(wallet)}

${STATEMENT}

URI: ${origin}/me
Version: 1
Chain ID: 1
Nonce: ${nonce}
Issued At: ${new Date(now).toISOString()}
Expiration Time: ${new Date(now + CHALLENGE_MILLISECONDS).toISOString()}`
  const length = Buffer.byteLength(message)
  const digest = await keccak(Buffer.from(`\x19Ethereum Signed Message:\n${length}${message}`))
  return { message, digest: digest.toHex() }
}

/** Returns the bytes of a signature. Throws `invalid_request` for a signature of another form. */
export function parseSignature(given: string): Uint8Array {
  const text = given.trim()
  const isHex = /^0x(?:[0-9a-f]{2})+$/i.test(text)
  if (isHex && text.length === 2 + 2 * 65) return Uint8Array.fromHex(text.slice(2))
  const problem =
    isHex && text.length > 2 + 2 * 65
      ? `it has ${text.length / 2 - 1} bytes, as those of contract wallets (EIP-1271, EIP-6492), which cannot be checked without a node of their chain. Use another wallet of the passport, or write to the operator`
      : `got ${quote(given)}`
  throw invalidValue('#/signature', `signature must be 0x and 65 bytes in hexadecimal: ${problem}.`)
}

/** Whether the wallet signed the digest. Takes about 1.5 ms. Of the two forms of each signature, the one with the high s is refused. */
export async function isSignedBy(wallet: string, digest: string, signature: Uint8Array): Promise<boolean> {
  const { secp256k1 } = await import('@noble/curves/secp256k1.js')
  const v = signature[64] as number
  const recovery = v >= 27 ? v - 27 : v
  if (recovery > 1) return false
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
    if (parsed.hasHighS()) return false
    const signer = parsed.addRecoveryBit(recovery).recoverPublicKey(Uint8Array.fromHex(digest))
    const hash = await keccak(signer.toBytes(false).subarray(1))
    return `0x${hash.subarray(-20).toHex()}` === wallet
  } catch {
    // No key made this signature: r or s is out of range, or no point of the curve has this r.
    return false
  }
}

/** An address in mixed case (EIP-55), as wallets expect it in messages. */
async function toChecksumAddress(wallet: string): Promise<string> {
  const hash = (await keccak(Buffer.from(wallet.slice(2)))).toHex()
  return wallet.replace(/[a-f]/g, (letter, at) =>
    Number.parseInt(hash.charAt(at - 2), 16) > 7 ? letter.toUpperCase() : letter,
  )
}

/** The libraries are loaded when they are needed, so that servers start fast. */
async function keccak(bytes: Uint8Array): Promise<Uint8Array> {
  const { keccak_256 } = await import('@noble/hashes/sha3.js')
  return keccak_256(bytes)
}
