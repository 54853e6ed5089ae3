export type Profile = {
  bio: string
  displayName: string
  location: string
  tags: string[]
}

export type Social = {
  source: string
  name: string
  displayName: string
  bio: string
  location: string
  url: string
  imageUrl: string
  /** Text, as in V1: sources send "1.2k" as well as "1200". */
  followers: string
  following: string
}

export type Scores = {
  total: number
  activity: number
  identity: number
  skills: number
}

export const NO_SCORES: Scores = { total: 0, activity: 0, identity: 0, skills: 0 }

/** A passport as the list shows it. */
export type Passport = {
  id: number
  scores: Scores
  /** A new score is being calculated; the old one is shown until then. */
  stale: boolean
  /** Epoch milliseconds; before the first calculation, the time of the first import. */
  calculatedAt: number
  human: boolean
  connections: number
  mainWallet: string
  verifiedWallets: string[]
  profile: Profile
}

/** A passport as the single-passport response shows it. */
export type FullPassport = Passport & {
  socials: Social[]
  merged: boolean
}

/** How a request names a passport. */
export type PassportRef = { id: number } | { wallet: string }

/** Digits are an id; any other text is a wallet. */
export function parsePassportRef(text: string): PassportRef | undefined {
  if (/^\d+$/.test(text)) {
    const id = Number(text)
    return Number.isSafeInteger(id) ? { id } : undefined
  }
  const wallet = parseWallet(text)
  return wallet === undefined ? undefined : { wallet }
}

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

/** The folded addresses of a passport, without duplicates. */
export function walletsOf(passport: Pick<Passport, 'mainWallet' | 'verifiedWallets'>): string[] {
  const wallets = [passport.mainWallet, ...passport.verifiedWallets].map(foldWallet)
  return [...new Set(wallets)].filter((wallet) => wallet !== '')
}
