import { rescoreSome } from '../../../src/core/scoring/rescore.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { ADA_WALLET, credential, dataPoint, NOON, named, record, social } from '../store/records.ts'
import { hand, scorerOf } from '../store/scoring.ts'

const DAY = 86_400_000

export const mira = record(12, {
  scores: { total: 1042.5, activity: 1020, identity: 12.25, skills: 10.25 },
  human: true,
  connections: 17,
  mainWallet: ADA_WALLET,
  verifiedWallets: [ADA_WALLET, 'DemoSo1ana/With?Odd#Letters'],
  profile: {
    displayName: 'Mira Kettlewood',
    bio: 'Builds kites.',
    location: 'Lisbon',
    tags: ['builder', 'zk'],
  },
  socials: [
    social('lens', 'mira', {
      displayName: 'Mira K.',
      bio: 'Notes',
      url: 'https://example.com/lens/mira',
      imageUrl: 'https://example.com/lens/mira.png',
      followers: '1.2k',
      following: '12',
    }),
  ],
  credentials: [
    credential('a', { name: 'Alpha', score: 4, maxScore: 8, value: 'FID: 7', earnedAt: NOON - 3 * DAY }),
    credential('b', { name: 'Beta', score: 8.25, maxScore: 10, earnedAt: NOON - 9 * DAY }),
    credential('c', { name: 'Gamma', score: 0, maxScore: 5 }),
    credential('d', { name: 'Delta', category: 'Skills', type: 'd', score: 10.25, maxScore: 40 }),
    credential('e', { name: 'Epsilon', category: 'Activity', type: 'e', score: 1020, maxScore: 2000 }),
    credential('f', { name: 'Zeta', category: 'Crafts', type: 'f', score: 3, maxScore: 4 }),
  ],
})

export const OTHERS = [named(1, 'Ivo', 1500), named(2, 'Sana', 40), named(3, '', 2), named(4, 'Yara', 0)]

export const pointOf = (type: string, account: string, amount: number, display: string) =>
  dataPoint(type, amount, account, display)

/** Saves a data point of passport 12, which makes its score stale. */
export const addDataPoint = (store: Store, amount: number) =>
  hand(store, { id: 12 }, pointOf('github', '', amount, ''))

export const rescore = (store: Store) => rescoreSome({ ...scorerOf(store), now: () => NOON })
