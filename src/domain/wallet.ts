/** Longer than the addresses of all known chains. */
const LONGEST_WALLET = 128

/** `0x` addresses ignore case; addresses of other chains do not. */
export function foldWallet(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}

export function parseWallet(text: string): string | undefined {
  // PostgreSQL rejects the NUL character in a query.
  if (text === '' || text.length > LONGEST_WALLET || text.includes('\0')) return undefined
  return foldWallet(text)
}
