import { foldWallet, parseWallet } from './wallet.ts'

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
  /** Text, as V1 describes it: sources give "1.2k" as well as "1200". */
  followers: string
  following: string
}

export type Scores = {
  total: number
  activity: number
  identity: number
  skills: number
}

/** A passport as the list shows it. */
export type Passport = {
  id: number
  scores: Scores
  /** Waiting for a new score; the old one stands meanwhile. */
  stale: boolean
  /** Epoch milliseconds; before the first calculation, when the passport was first recorded. */
  calculatedAt: number
  human: boolean
  connections: number
  mainWallet: string
  verifiedWallets: string[]
  profile: Profile
}

/** A passport with everything that only the single-passport answer shows. */
export type FullPassport = Passport & {
  socials: Social[]
  /** Another passport was merged into this one. */
  merged: boolean
}

/** How a caller names a passport. */
export type PassportRef = { id: number } | { wallet: string }

/** Only digits are an id; anything else can only be a wallet. */
export function parsePassportRef(text: string): PassportRef | undefined {
  if (/^\d+$/.test(text)) {
    const id = Number(text)
    return Number.isSafeInteger(id) ? { id } : undefined
  }
  const wallet = parseWallet(text)
  return wallet === undefined ? undefined : { wallet }
}

/** Every address that leads to the passport, each once, in its one spelling. */
export function walletsOf(passport: Pick<Passport, 'mainWallet' | 'verifiedWallets'>): string[] {
  const wallets = [passport.mainWallet, ...passport.verifiedWallets].map(foldWallet)
  return [...new Set(wallets)].filter((wallet) => wallet !== '')
}
