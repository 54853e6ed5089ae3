import { type Mutation, ON_SQLITE } from './mutation.ts'

const FACETS = ['test/core/index/facet-index.test.ts']
const PAGES = ['test/core/index/find-list.test.ts']
const SNAPSHOT = ['test/core/index/snapshot.test.ts']

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
    file: 'src/core/index/snapshot.ts',
    from: '!isBefore(after, list.at(index))',
    to: 'isBefore(list.at(index), after)',
    tests: ['test/features/passports/list.test.ts'],
    ...ON_SQLITE,
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
    file: 'src/core/index/facet-column.ts',
    from: 'found !== negated',
    to: 'found !== 0',
    tests: FACETS,
  },
  {
    name: 'filters: at least means more than',
    file: 'src/core/index/facet-column.ts',
    from: "'>=': (value, than) => value >= than",
    to: "'>=': (value, than) => value > than",
    tests: FACETS,
  },
  {
    name: 'filters: a comma means or',
    file: 'src/core/index/facet-index.ts',
    from: '(one[at] as number) & (other[at] as number)',
    to: '(one[at] as number) | (other[at] as number)',
    tests: FACETS,
  },
  {
    name: 'ranking: equal scores are in the reverse order of ids',
    file: 'src/core/index/snapshot.ts',
    from: '(one.score === score && one.id < id)',
    to: '(one.score === score && one.id > id)',
    tests: SNAPSHOT,
  },
  {
    name: 'ranking: recent changes with equal scores are in the reverse order of ids',
    file: 'src/core/index/find-list.ts',
    from: '(one.value === score && one.id < id)',
    to: '(one.value === score && one.id > id)',
    tests: PAGES,
    title: '^(?!postgres)',
  },
  {
    name: 'ranking: equal scores have different ranks',
    file: 'src/core/reads/standing.ts',
    from: '(other) => other > score',
    to: '(other) => other >= score',
    tests: ['test/core/reads/standing.test.ts'],
  },
  {
    name: 'ranking: the percentile counts equal scores as lower',
    file: 'src/core/reads/standing.ts',
    from: '(other) => other >= score',
    to: '(other) => other > score',
    tests: ['test/core/reads/standing.test.ts'],
  },
  {
    name: 'pages: a page mixes two moments',
    file: 'src/core/index/find-list.ts',
    from: '(later && !includesAny(later, page.ids))',
    to: '(later)',
    tests: PAGES,
    title: '^(?!postgres)',
  },
  {
    name: 'pages: a filtered page mixes two moments',
    file: 'src/core/index/find-list.ts',
    from: '(changes && !includesAny(changes, found.ids))',
    to: 'changes',
    tests: PAGES,
    title: '^(?!postgres)',
  },
  {
    name: 'pages: a page of an old snapshot is cached for a new one',
    file: 'src/core/http/rendered-page.ts',
    from: 'current !== snapshot || page.status',
    to: 'page.status',
    tests: ['test/core/http/page-cache.test.ts'],
  },
]
