/** Longer than any chain's address; what is longer cannot be one. */
const LONGEST_WALLET = 128

/** One spelling for each address: `0x` addresses ignore letter case, other chains' addresses do not. */
export function foldWallet(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}

export function parseWallet(text: string): string | undefined {
  // Not every engine can even look for the character 0.
  if (text === '' || text.length > LONGEST_WALLET || text.includes('\0')) return undefined
  return foldWallet(text)
}
