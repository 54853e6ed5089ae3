import type { WireCredential, WireListedPassport, WirePassport } from '../../domain/record/schemas.ts'
import { presentListedPassportV2, presentPassportV2 } from '../../domain/v2/present.ts'

const wallet = '0xde30f1a2b3c4d5e6f708192a3b4c5d6e7f809102'

const listed: WireListedPassport = {
  activity_score: 41,
  identity_score: 28,
  skills_score: 63,
  score: 132,
  calculating_score: false,
  connections_count: 17,
  human_checkmark: true,
  last_calculated_at: '2024-09-27T09:18:56.019Z',
  main_wallet: wallet,
  passport_id: 42,
  passport_profile: {
    bio: 'Builds maps of clouds.',
    display_name: 'Zoë Lanternbrook',
    location: 'Lisbon',
    tags: ['builder', 'zk'],
  },
  verified_wallets: [wallet],
}

const full: WirePassport = {
  ...listed,
  merged: false,
  passport_socials: [
    {
      follower_count: '1204',
      following_count: '310',
      location: '',
      profile_bio: 'On lens about maps.',
      profile_display_name: 'Zoë Lanternbrook',
      profile_image_url: '',
      profile_name: 'zoelanternbrook',
      profile_url: 'https://example.com/lens/zoelanternbrook',
      source: 'lens',
    },
  ],
}

const later = {
  imageUrl: 'https://example.com/zoe.png',
  mainWalletChangedAt: Date.UTC(2024, 5, 1),
  nominations: 3,
}

const credential: WireCredential = {
  id: '5b0c9a0e-6a1f-4a63-9d0b-7a3f5c1e2d44',
  earned_at: '2019-04-02T00:00:00.000Z',
  category: 'Activity',
  last_calculated_at: '2024-09-27T09:18:56.019Z',
  max_score: 20,
  score: 14,
  name: 'Ethereum User',
  type: 'active_wallet',
  value: 'Since 2019-04-02, Outgoing transactions: 861',
}

const pagination = { current_page: 1, last_page: 40, total: 1000 }

export const EXAMPLES = {
  v1: { list: { passports: [listed], pagination }, passport: { passport: full } },
  v2: {
    list: { passports: [presentListedPassportV2(listed, later)], pagination },
    passport: { passport: presentPassportV2(full, later) },
  },
  credentials: { passport_credentials: [credential] },
}
