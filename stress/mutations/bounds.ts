import type { Mutation } from './mutation.ts'

const RESPONSES = ['test/core/http/responses.test.ts']

/** Mutations of the limits of requests. */
export const BOUND_MUTATIONS: readonly Mutation[] = [
  {
    name: 'bounds: a body of two megabytes is accepted',
    file: 'src/core/http/parse-request.ts',
    from: ' <= MAX_BODY_BYTES',
    to: ' <= 2 * MAX_BODY_BYTES',
    tests: ['test/features/passports/problems.test.ts'],
    title: 'a body above',
  },
  {
    name: 'bounds: a query of 16 KiB is accepted',
    file: 'src/core/http/parse-request.ts',
    from: '> MAX_TARGET)',
    to: '> 2 * MAX_TARGET)',
    tests: RESPONSES,
  },
  {
    name: 'bounds: a keyword of 201 characters is accepted',
    file: 'src/core/lists/list-request.ts',
    from: 'length > LONGEST_KEYWORD',
    to: 'length > LONGEST_KEYWORD + 1',
    tests: ['test/features/passports/problems.test.ts'],
  },
  {
    name: 'bounds: a page has 251 passports',
    file: 'src/core/lists/list-request.ts',
    from: 'LARGEST_LIMIT = 250',
    to: 'LARGEST_LIMIT = 251',
    tests: ['test/features/passports/problems.test.ts'],
  },
  {
    name: 'bounds: a page of v3 has more passports than the limit',
    file: 'src/core/lists/list-request.ts',
    from: 'limit <= largest',
    to: 'limit <= largest + 1',
    tests: ['test/features/passports/problems.test.ts'],
  },
  {
    name: 'bounds: a filter has one value more than the limit',
    file: 'src/core/lists/filter.ts',
    from: 'conditions > MOST_CONDITIONS',
    to: 'conditions > MOST_CONDITIONS + 1',
    tests: ['test/core/lists/filter.test.ts'],
  },
]
