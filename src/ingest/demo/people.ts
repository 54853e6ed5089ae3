import { type Credential, sumScores } from '../../domain/credential.ts'
import type { Scores, Social } from '../../domain/passport.ts'
import type { PassportRecord } from '../../domain/record/record.ts'
import { KINDS, verified } from './credential-kinds.ts'
import { inventHandle, inventName } from './names.ts'
import { createRandom, type Random } from './random.ts'

const SEED = 1815
const PEOPLE = 1000
const RECALCULATED = 42
const MERGED = { from: PEOPLE + 1, into: 7 }
const DAY = 86_400_000
const LAST_DAY = Date.UTC(2025, 2, 30)

export const TRADES =
  'kites, paper boats, tea houses, lighthouses, music boxes, maps of clouds, wind chimes'.split(', ')
export const PLACES =
  'Lisbon, São Paulo, Lagos, Kraków, Hà Nội, 東京, Reykjavík, Łódź, Nairobi, Montréal'.split(', ')
export const TAGS = 'builder designer founder researcher writer solidity community zk data'.split(' ')
const SOURCES = 'lens farcaster github basename linkedin twitter talent_protocol builderfi'.split(' ')

export type Person = PassportRecord & { scores: Scores; calculatedAt: number; credentials: Credential[] }

/** The same invented people every time: a thousand, and one who was merged into another. */
export function inventPeople(): Person[] {
  const random = createRandom(SEED)
  const people = Array.from({ length: PEOPLE }, (_, index) => inventPerson(index + 1, random))
  return [...people, { ...inventPerson(MERGED.from, random), mergedInto: MERGED.into }]
}

function inventPerson(id: number, random: Random): Person {
  const displayName = inventName(random)
  const handle = inventHandle(displayName, random)
  const calculatedAt = LAST_DAY - random.whole(0, 200 * DAY)
  const credentials = inventCredentials(calculatedAt, handle, random)
  const wallets = inventWallets(random)
  return {
    id,
    scores: sumScores(credentials.map(({ credential }) => credential)),
    stale: id === RECALCULATED,
    calculatedAt,
    human: credentials.some(({ kind, credential }) => kind.rule.proves_human && credential.score > 0),
    connections: Math.floor(random.next() ** 4 * 900),
    mainWallet: wallets[0] ?? '',
    verifiedWallets: wallets,
    profile: {
      displayName,
      bio: random.chance(0.6) ? `Invented person no. ${id}. Builds ${random.pick(TRADES)}.` : '',
      location: random.chance(0.55) ? random.pick(PLACES) : '',
      tags: random.sample(TAGS, random.whole(0, 4)),
    },
    socials: random
      .sample(SOURCES, random.pick([0, 1, 2, 2, 3, 3, 4]))
      .map((source) => inventSocial(source, displayName, handle, random)),
    credentials: credentials.map(({ credential }) => credential),
  }
}

/** Most people have low scores; a few have high ones. */
export function inventCredentials(
  calculatedAt: number,
  handle: string,
  random: Random,
  { strength = 0.08 + 0.92 * random.next() ** 4, fewest = 8, most = 20 } = {},
) {
  const kinds = KINDS.filter((kind) => !kind.rule.proves_human || random.chance(0.2))
  return random.sample(kinds, random.whole(fewest, most)).map((kind) => {
    const share = kind.value === verified ? 1 : Math.min(1, strength * (0.4 + 1.2 * random.next()))
    const score = Math.round(kind.rule.max_score * share)
    const credential: Credential = {
      id: random.uuid(),
      type: kind.type,
      name: kind.rule.name,
      category: kind.rule.category,
      score,
      givenScore: score,
      maxScore: kind.rule.max_score,
      value: kind.value(share, random, handle),
      ...(random.chance(0.9) && { earnedAt: calculatedAt - random.whole(DAY, 2500 * DAY) }),
      calculatedAt,
    }
    return { kind, credential }
  })
}

/** `0xde30` stands for "demo". A few wallets are on a chain whose addresses are case-sensitive. */
function inventWallets(random: Random): string[] {
  const wallets = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => `0xde30${random.hex(36)}`)
  if (random.chance(0.06)) wallets.push(`Demo${random.hex(20)}ABCdefGHJKmnpQRSTuvw`)
  return wallets
}

function inventSocial(source: string, displayName: string, handle: string, random: Random): Social {
  return {
    source,
    name: handle,
    displayName,
    bio: random.chance(0.4) ? `On ${source} about ${random.pick(TRADES)}.` : '',
    location: random.chance(0.3) ? random.pick(PLACES) : '',
    url: `https://example.com/${source}/${handle}`,
    imageUrl: random.chance(0.7) ? `https://example.com/${source}/${handle}.png` : '',
    followers: String(Math.floor(random.next() ** 5 * 50_000)),
    following: String(random.whole(0, 900)),
  }
}
