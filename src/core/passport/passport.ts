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
  /** Text, as in V1, because sources send "1.2k" as well as "1200". */
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

/** The rank of a score, or of a part of it, among all listed passports. */
export type Rank = {
  /** 1 for the highest score; equal scores have equal ranks. */
  rank: number
  below: number
  total: number
}

/** The ranks of a total score and of its parts. */
export type Standing = Record<keyof Scores, Rank>

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

export const refKind = (ref: PassportRef) => ('id' in ref ? 'id' : 'wallet')
export const refValue = (ref: PassportRef) => ('id' in ref ? ref.id : ref.wallet)

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

/** How v3 names a passport. A text with a colon is a handle or, on some chains, an address. */
export type PassportKey = { id: number } | { wallet: string } | { handle: string; wallet: string }

/** The length includes the source. A longer name gets no handle, because the size of an index key is limited. */
const LONGEST_HANDLE = 250

/** A key may have an @ before the name of a handle. */
const LONGEST_KEY = LONGEST_HANDLE + 1

/** Returns `undefined` for a malformed text. White space is allowed only inside the name of a handle. */
export function parsePassportKey(text: string): PassportKey | undefined {
  if (text.length > LONGEST_KEY || !isStorable(text)) return undefined
  const colon = text.indexOf(':')
  if (colon === -1) return /\s/.test(text) ? undefined : parsePassportRef(text)
  const [source, name] = [text.slice(0, colon), text.slice(colon + 1)]
  if (source !== source.trim() || name !== name.trim()) return undefined
  const handle = foldHandle(source, name)
  return handle === undefined ? undefined : { handle, wallet: parseWallet(text) ?? foldWallet(handle) }
}

/** Returns the handle as the index stores it: `source:name` in lower case, without the @ before the name. */
function foldHandle(source: string, name: string): string | undefined {
  const [folded, rest] = [source.trim().toLowerCase(), foldAccount(name)]
  const handle = `${folded}:${rest}`
  const isUsable = folded !== '' && rest !== '' && !folded.includes(':')
  return isUsable && handle.length <= LONGEST_HANDLE && isStorable(handle) ? handle : undefined
}

/** Accounts that differ only in case, outer white space or an @ at the beginning are the same account. */
const foldAccount = (account: string) => account.trim().replace(/^@/, '').toLowerCase()

/** The folded account of a data point; empty if it has none, or was made from a credential. */
export const accountKeyOf = (account: string): string =>
  account.startsWith(CREDENTIAL_ACCOUNT) ? '' : foldAccount(account)

/** PostgreSQL stores neither the NUL character nor lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The prefix of the account of a data point that was made from a credential. */
export const CREDENTIAL_ACCOUNT = 'credential:'

/** A name of ENS and similar services, such as `zoe.eth` or `zoe.base.eth`. */
const DOTTED_NAME = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.[a-z]{2,}$/u

/** The text of a Farcaster credential. */
export const FID = /^FID:\s*(\d+)$/i

/** The name in the text of a credential, such as `zoe.eth`, or the id of a Farcaster account. */
const nameIn = (type: string, text: string): string | undefined =>
  DOTTED_NAME.test(text) ? text : type === 'farcaster' ? FID.exec(text)?.[1] : undefined

/**
 * The handles of a passport: names of its socials, the accounts of its data points, and the names in the texts of its
 * data points and credentials, such as `ens:zoe.eth`. `farcaster:1042` also finds the Farcaster account `fid:1042`.
 */
export function handlesOf(
  socials: readonly Pick<Social, 'source' | 'name'>[],
  points: readonly { type: string; account: string; display: string }[],
  credentials: readonly { type: string; value: string; givenScore?: number }[],
): string[] {
  const handles = new Set<string | undefined>()
  for (const { source, name } of socials) handles.add(foldHandle(source, name))
  const texts = points.map(({ type, display }) => ({ type, value: display }))
  // A rule set copies the texts of data points to its credentials.
  const recorded = credentials.filter(({ givenScore }) => givenScore !== undefined)
  for (const { type, value } of [...texts, ...recorded]) {
    const name = nameIn(type, value.trim())
    if (name !== undefined) handles.add(foldHandle(type, name))
  }
  for (const { type, account } of points) {
    if (account === '' || account.startsWith(CREDENTIAL_ACCOUNT)) continue
    handles.add(foldHandle(type, account))
    const label = /^[a-z]+:/i.exec(account)?.[0]
    if (label !== undefined) handles.add(foldHandle(type, account.slice(label.length)))
  }
  return [...handles].filter((handle) => handle !== undefined).sort()
}
