import type { Store } from '../../../src/core/store/store.ts'
import type { ScoringJob } from '../../../src/core/store/write/apply-score.ts'
import type { IndexedRead } from '../frozen/frozen-version.ts'
import { FROZEN_VERSIONS } from '../frozen/frozen-versions.ts'
import { listLater } from '../store/events-after-time.ts'
import { SEARCH } from '../store/open.ts'
import { NOON } from '../store/records.ts'

const FULL = { credentials: true }

const WATCHED = { unique: ['github'], expiring: ['github'] }

/** Keys of every kind. Some passports are merged or unknown. */
export const MIXED_KEYS = Array.from({ length: 1000 }, (_, at) => {
  const id = at * 21
  return at % 3 === 0
    ? { id }
    : at % 3 === 1
      ? { wallet: `0x${id}` }
      : { handle: `lens:${id}`, wallet: `lens:${id}` }
})

const scoreNothing: ScoringJob = {
  rules: 'test',
  now: NOON,
  score: ({ givenScores: scores, recordCredentials: credentials }) => ({
    scores,
    human: false,
    credentials,
  }),
  onFailure: () => undefined,
}

const mergeAndUnmerge = async ({ passports }: Store) => {
  await passports.merge(77, 78)
  await passports.unmerge(77)
}
const ONE_PASSPORT = { after: 0, limit: 100, passport: 77 }
let next = 1000
const removeNext = ({ passports }: Store) => {
  next += 50
  return passports.remove(next, NOON)
}

/** What the store is asked, and the index that PostgreSQL must use. */
export const INDEXED_READS: readonly IndexedRead[] = [
  ['a passport by id', (store) => store.passports.find({ id: 77 }), 'passports_pkey'],
  ['a passport by wallet', (store) => store.passports.find({ wallet: '0x77' }), 'wallets_pkey'],
  ...FROZEN_VERSIONS.flatMap(({ indexedReads }) => indexedReads),
  [
    'a passport by handle',
    (store) => store.passports.findByKeys([{ handle: 'lens:51', wallet: '' }], FULL),
    'handles_pkey',
  ],
  ['handles with a prefix', (store) => store.data(SEARCH).listHandles('lens:77', 9), 'handles_pkey'],
  ['names with a prefix', (store) => store.data(SEARCH).listNames('77', 9), 'handles_pkey'],
  ['wallets with a prefix', (store) => store.data(SEARCH).listWallets('0x77', 9), 'wallets_pkey'],
  ['passports by mixed keys', (store) => store.passports.findByKeys(MIXED_KEYS, FULL), 'passports_pkey'],
  ['the listing of some', (store) => store.listing.listRows([77, 78, 79]), 'listing_pkey'],
  ['the listing after an id', (store) => store.listing.listAfter(77, 9), 'listing_pkey'],
  ['changes of the listing', (store, cursor) => store.listing.readChanges(cursor), 'events_pkey'],
  ['a stale passport', (store) => store.scoring.work(5, scoreNothing), 'passports_stale'],
  ['accounts of other passports', (store) => store.scoring.list(76, 5, WATCHED), 'data_points_by_account'],
  [
    'expired data points',
    (store) => store.scoring.work(5, { ...scoreNothing, watched: WATCHED }),
    'passports_by_rescore',
  ],
  ['the number of stale passports', (store) => store.scoring.countStale(), 'passports_stale'],
  ['a batch of an export', (store) => store.records.list(77, 50), 'passports_pkey'],
  ['a page of events', (store) => store.events.list({ after: 7000, limit: 100 }), 'events_pkey'],
  ['the events of a passport', (store) => store.events.list(ONE_PASSPORT), 'events_by_passport'],
  ['later events of passports', (store) => listLater(store, [7, 8], 0), 'events_by_passport'],
  [
    'the latest events of a passport',
    (store) => store.events.listLatest(77, ['score.changed'], 60),
    'events_by_passport',
  ],
  ['a row that a merge locks', mergeAndUnmerge, 'passports_pkey'],
  ['a row that a removal locks', removeNext, 'passports_by_survivor'],
  ['the next passport with an account', removeNext, 'data_points_by_account'],
]
