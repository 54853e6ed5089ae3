import { type Mutation, ON_SQLITE } from './mutation.ts'

const LISTS = ['test/core/index/random-lists.test.ts']
const STANDING = ['test/core/index/standing.test.ts']
const SAVED = ['test/core/index/saved-index.test.ts']

/** Mutations of rankings, filters and pages. */
export const LIST_MUTATIONS: readonly Mutation[] = [
  {
    name: 'cursors: a cursor of another list is accepted',
    file: 'src/core/lists/list-request.ts',
    from: 'if (hash === hashOf(query)) return position',
    to: "if (hash !== '') return position",
    tests: ['test/features/passports/list.test.ts'],
    title: 'a cursor of',
  },
  {
    name: 'cursors: a page repeats the last passport of the previous one',
    file: 'src/core/index/find.ts',
    from: 'order < 0 || (order === 0 && !isReversed)',
    to: 'order < 0',
    tests: LISTS,
  },
  {
    name: 'cursors: an event cursor of another log is accepted',
    file: 'src/core/history/event-cursor.ts',
    from: 'log === name && sequence >= first',
    to: 'sequence >= first',
    tests: ['test/features/events/events.test.ts'],
    ...ON_SQLITE,
  },
  {
    name: 'cursors: the oldest event cursor is expired',
    file: 'src/core/history/event-cursor.ts',
    from: 'sequence >= first - 1',
    to: 'sequence >= first',
    tests: ['test/features/events/events.test.ts'],
    ...ON_SQLITE,
  },
  {
    name: 'filters: a negated value selects what it excludes',
    file: 'src/core/index/matches.ts',
    from: 'uniteOthers(bits, found, index.count)',
    to: 'addTo(bits, { count: 0, list: undefined, bits: found })',
    tests: LISTS,
  },
  {
    name: 'filters: at least means more than',
    file: 'src/core/index/matches.ts',
    from: "operator.includes('=')",
    to: "operator === '='",
    tests: LISTS,
  },
  {
    name: 'filters: a comma means or',
    file: 'src/core/index/matches.ts',
    from: 'intersectBits(bits, toBits(posting, slots))',
    to: 'addTo(bits, posting)',
    tests: LISTS,
  },
  {
    name: 'ranking: equal scores are in the reverse order of ids',
    file: 'src/core/index/order.ts',
    from: '(ids[slot] as number) - (ids[other] as number)',
    to: '(ids[other] as number) - (ids[slot] as number)',
    tests: LISTS,
  },
  {
    name: 'lists: one with after= may lack the write',
    file: 'src/core/index/live.ts',
    from: 'if (after) await reach(live, after)',
    to: '',
    tests: ['test/core/api/after.test.ts'],
    ...ON_SQLITE,
  },
  {
    name: 'ranking: equal scores have different ranks',
    file: 'src/core/index/standing.ts',
    from: 'rank: countAbove(index, field, score) + 1',
    to: 'rank: atLeast',
    tests: STANDING,
  },
  {
    name: 'ranking: the percentile counts equal scores as lower',
    file: 'src/core/index/standing.ts',
    from: 'below: total - atLeast',
    to: 'below: total - countAbove(index, field, score)',
    tests: STANDING,
  },
  {
    name: 'saved index: a removal keeps the copy',
    file: 'src/core/store/write/load-and-save-write-model.ts',
    from: 'await deleteSavedIndex(connection)',
    to: '',
    tests: SAVED,
    ...ON_SQLITE,
  },
  {
    name: 'saved index: a copy is completed after a removal',
    file: 'src/core/store/sql/saved-index.ts',
    from: 'if (isKept) await insert',
    to: 'await insert',
    tests: SAVED,
    ...ON_SQLITE,
  },
  {
    name: 'pages: a page of an old version is cached for a new one',
    file: 'src/core/http/rendered-page.ts',
    from: 'current !== version || page.status',
    to: 'page.status',
    tests: ['test/core/http/page-cache.test.ts'],
  },
]
