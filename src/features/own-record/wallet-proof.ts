import { invalidValue } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'

export const CHALLENGE_MILLISECONDS = 5 * 60_000

/** Returns a wallet whose signatures can be checked, in lower case. Throws `invalid_request`. */
export function parseProvableWallet(text: string): string {
  const wallet = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{40}$/.test(wallet)) return wallet
  const rule = 'wallet must be an Ethereum address, 0x and 40 hexadecimal digits'
  const reason = 'signatures of other chains cannot be checked here'
  throw invalidValue('#/wallet', `${rule}, got ${quote(text)}: ${reason}.`)
}

type Challenge = { origin: string; wallet: string; nonce: string; now: number }

/** Writes the message that the wallet has to sign (EIP-4361), and its digest, which wallets sign (EIP-191). */
export async function writeChallenge({ origin, wallet, nonce, now }: Challenge) {
  const message = `${new URL(origin).host} wants you to sign in with your Ethereum account:
${await toChecksumAddress(wallet)}

I want to see, hide, correct or remove my own record on this site. Signing this costs nothing and allows no payment.

URI: ${origin}/me
Version: 1
Chain ID: 1
Nonce: ${nonce}
Issued At: ${new Date(now).toISOString()}
Expiration Time: ${new Date(now + CHALLENGE_MILLISECONDS).toISOString()}`
  const digest = await keccak(`\x19Ethereum Signed Message:\n${Buffer.byteLength(message)}${message}`)
  return { message, digest: digest.toHex() }
}

/** Throws `invalid_request` for a signature of another form. */
export function parseSignature(text: string): Uint8Array {
  const hex = /^0x((?:[0-9a-f]{2})+)$/i.exec(text.trim())?.[1] ?? ''
  if (hex.length === 130) return Uint8Array.fromHex(hex)
  const contract = [
    `it has ${hex.length / 2} bytes, as those of contract wallets (EIP-1271, EIP-6492)`,
    'which cannot be checked without a node of their chain. Use another wallet of the passport',
    'or write to the operator',
  ].join(', ')
  const problem = hex.length > 130 ? contract : `got ${quote(text)}`
  throw invalidValue('#/signature', `signature must be 0x and 65 bytes in hexadecimal: ${problem}.`)
}

/** Takes about 1.5 ms. Each signature has a second form with a high s, which is refused. */
export async function isSignedBy(wallet: string, digest: string, signature: Uint8Array): Promise<boolean> {
  const { secp256k1 } = await import('@noble/curves/secp256k1.js')
  const v = signature[64] as number
  const recovery = v >= 27 ? v - 27 : v
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
    if (recovery > 1 || parsed.hasHighS()) return false
    const signer = parsed.addRecoveryBit(recovery).recoverPublicKey(Uint8Array.fromHex(digest))
    return `0x${(await keccak(signer.toBytes(false).subarray(1))).subarray(-20).toHex()}` === wallet
  } catch {
    // No key made this signature: r or s is out of range, or no point of the curve has this r.
    return false
  }
}

/** An address in mixed case (EIP-55). */
async function toChecksumAddress(wallet: string): Promise<string> {
  const hash = (await keccak(wallet.slice(2))).toHex()
  return wallet.replace(/[a-f]/g, (letter, at) => (hash.charAt(at - 2) > '7' ? letter.toUpperCase() : letter))
}

/** The libraries are loaded when they are needed, so that servers start fast. */
async function keccak(data: string | Uint8Array): Promise<Uint8Array> {
  const { keccak_256 } = await import('@noble/hashes/sha3.js')
  return keccak_256(Buffer.from(data))
}
