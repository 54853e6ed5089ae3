import { sha256 } from '../basics/canonical-json.ts'
import { foldWallet } from './passport.ts'

/** The SHA-256 of a wallet. Other spellings of an Ethereum address, such as `eip155:1:0x...`, have the same digest. */
export function digestOfWallet(address: string): string {
  const bare = address.replace(/[\p{Cf}\s]|^eip155:\d*:/giu, '')
  return sha256(foldWallet(/^[\da-f]{40}$/i.test(bare) ? `0x${bare}` : bare))
}
