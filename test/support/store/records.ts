import type { Credential } from '../../../src/core/passport/credential.ts'
import type { DataPoint } from '../../../src/core/passport/data-point.ts'
import type { Profile, Scores, Social } from '../../../src/core/passport/passport.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { ApiKey } from '../../../src/core/store/api-key.ts'

export const NOON = Date.UTC(2026, 0, 2, 12)

type Given = Partial<Omit<PassportRecord, 'profile' | 'scores'>> & {
  profile?: Partial<Profile>
  scores?: Partial<Scores>
}

/** A record whose scores are known. */
type TestRecord = PassportRecord & { scores: Scores }

/** A record with these fields and defaults for all others. */
export function record(id: number, { profile, scores, ...given }: Given = {}): TestRecord {
  return {
    id,
    stale: false,
    calculatedAt: NOON,
    human: false,
    connections: 0,
    mainWallet: '',
    verifiedWallets: [],
    socials: [],
    ...given,
    profile: { displayName: '', bio: '', location: '', tags: [], ...profile },
    scores: { total: 0, activity: 0, identity: 0, skills: 0, ...scores },
  }
}

export const named = (id: number, displayName: string, total = 0) =>
  record(id, { profile: { displayName }, scores: { total } })

export function credential(id: string, given: Partial<Credential> = {}): Credential {
  return {
    id,
    type: 'ens',
    name: 'ENS',
    category: 'Identity',
    score: 1,
    maxScore: 5,
    value: '',
    calculatedAt: NOON,
    ...given,
    givenScore: given.score ?? 1,
  }
}

export const social = (source: string, name: string, given: Partial<Social> = {}): Social => ({
  ...{ source, name, displayName: '', bio: '', location: '', url: '', imageUrl: '' },
  ...{ followers: '', following: '' },
  ...given,
})

export const ADA_WALLET = '0xada0000000000000000000000000000000000001'
export const ADA_SECOND_WALLET = '0xada0000000000000000000000000000000000002'
export const SOLANA_WALLET = 'DemoSo1anaAddressWhereCaseCounts11111111111'
export const GRACE_OLD_WALLET = '0xdead000000000000000000000000000000000003'

export const ada = record(7, {
  scores: { total: 42.5, activity: 12, identity: 10.25, skills: 20.25 },
  stale: true,
  human: true,
  connections: 17,
  mainWallet: ADA_WALLET,
  verifiedWallets: [ADA_WALLET, ADA_SECOND_WALLET, SOLANA_WALLET],
  profile: {
    displayName: 'Ada  Lovélace 🐉',
    bio: 'First of "them" <all>',
    location: 'London',
    tags: ['math', 'poetry'],
  },
  socials: [
    social('lens', 'ada', {
      displayName: 'Ada',
      bio: 'Notes',
      location: 'Ockham',
      url: 'https://example.com/lens/ada',
      imageUrl: 'https://example.com/lens/ada.png',
      followers: '1842',
      following: '12',
    }),
  ],
  credentials: [
    credential('c-2', { type: 'github', name: 'GitHub', category: 'Skills', score: 20.25, maxScore: 40 }),
    credential('c-1', {
      type: 'active_wallet',
      name: 'Ethereum User',
      category: 'Activity',
      score: 12,
      maxScore: 20,
      value: 'Since 2015-08-07',
      earnedAt: Date.UTC(2015, 7, 7),
    }),
    credential('c-4', { score: 5, value: 'ada.eth' }),
    credential('c-3', { score: 5, value: 'lovelace.eth' }),
    credential('c-5', { type: 'basename', name: 'Basename', score: 0.25, maxScore: 8 }),
    credential('c-6', { type: 'kite', name: 'Kites', category: 'Hobbies', score: 3 }),
  ],
})

export const grace = named(3, 'Grace Hopper', 42.5)

export const graceOld = record(900, {
  mergedInto: 3,
  mainWallet: GRACE_OLD_WALLET,
  verifiedWallets: [GRACE_OLD_WALLET],
  scores: { total: 99 },
  profile: { displayName: 'Grace the Former' },
})

export const nobody = record(12)

export const PEOPLE = [nobody, grace, graceOld, ada]

export const apiKey = (id: string, given: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: id,
  hash: new Uint8Array([1, 2, 255]),
  tier: 'standard',
  owner: '',
  createdAt: 1,
  scopes: ['read', 'events'],
  origins: [],
  types: [],
  ...given,
})

/** A data point with a number, such as the contributions of an account. */
export const dataPoint = (type: string, amount: number, account = '', display = `${amount}`): DataPoint => ({
  type,
  account,
  value: { kind: 'number', amount },
  display,
})
