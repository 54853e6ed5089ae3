import type { Mutation } from './mutation.ts'

const MERGES = ['test/store/merges.test.ts']
const IMPORT = ['test/store/v1.test.ts']
const SCORING = ['test/scoring/rescore.test.ts', 'test/scoring/adoption.test.ts']

/** Most tests run on both engines: SQLite starts faster. */
const ON_SQLITE = { title: '^sqlite' }

/** Records, merges and scores. */
export const RECORD_MUTATIONS: readonly Mutation[] = [
  {
    name: 'merges: a survivor keeps the main wallet of an unmerged passport',
    file: 'src/store/merges.ts',
    from: "own.includes(row.main_wallet) ? (left[0] ?? '') : row.main_wallet",
    to: 'row.main_wallet',
    tests: MERGES,
    ...ON_SQLITE,
  },
  {
    name: 'merges: passports merged into a removed one stay',
    file: 'src/store/merges.ts',
    from: 'passports.listMerged(id)',
    to: '([] as number[])',
    tests: MERGES,
    ...ON_SQLITE,
  },
  {
    name: 'merges: a chain of merges is not followed to its end',
    file: 'src/store/merges.ts',
    from: 'LONGEST_CHAIN = 1000',
    to: 'LONGEST_CHAIN = 1',
    tests: MERGES,
    ...ON_SQLITE,
  },
  {
    name: 'merges: a survivor does not take over a wallet',
    file: 'src/store/record-writer.ts',
    from: ' || survivor === row.id\n',
    to: '\n',
    tests: MERGES,
    ...ON_SQLITE,
  },
  {
    name: 'merges: the V1 response of a survivor is not rendered after an unmerge',
    file: 'src/store/v1-renderer.ts',
    from: '        markSurvivor(before?.merged_into)\n',
    to: '',
    tests: [...IMPORT, ...MERGES],
    ...ON_SQLITE,
  },
  {
    name: 'import: an unchanged record is written again',
    file: 'src/store/record-writer.ts',
    from: 'before?.fingerprint === fingerprint',
    to: "before?.fingerprint === ''",
    tests: IMPORT,
    ...ON_SQLITE,
  },
  {
    name: 'import: a record that is new for V2 counts as unchanged',
    file: 'src/store/record-writer.ts',
    from: "'' : 'v2:'",
    to: "'' : ''",
    tests: IMPORT,
    ...ON_SQLITE,
  },
  {
    name: 'import: a removed passport comes back',
    file: 'src/store/record-writer.ts',
    from: 'wasRemoved && !restore',
    to: 'wasRemoved && restore',
    tests: MERGES,
    ...ON_SQLITE,
  },
  {
    name: 'stale: new credentials are shown with the old score',
    file: 'src/store/record-writer.ts',
    from: 'row.stale === 0 || before === undefined',
    to: 'row.stale !== 2',
    tests: IMPORT,
    ...ON_SQLITE,
  },
  {
    name: 'stale: a record with other parts than its total is not scored',
    file: 'src/store/record-writer.ts',
    from: '||\n    !addsUp(record)',
    to: '',
    tests: SCORING,
    ...ON_SQLITE,
  },
  {
    name: 'stale: a scored passport stays stale',
    file: 'src/store/apply-score.ts',
    from: '    stale: 0,\n',
    to: '    stale: 1,\n',
    tests: SCORING,
    ...ON_SQLITE,
  },
  {
    name: 'rules: a scorer adopts rules that are not the active ones',
    file: 'src/store/rule-adoption.ts',
    from: '  if ((active_rules ?? next) !== next) return undefined\n',
    to: '',
    tests: SCORING,
    ...ON_SQLITE,
  },
  {
    name: 'rules: the first rule set replaces the scores of records',
    file: 'src/store/rule-adoption.ts',
    from: 'withRecordScores: rules !== undefined',
    to: 'withRecordScores: true',
    tests: SCORING,
    ...ON_SQLITE,
  },
  {
    name: 'rules: an adoption continues where that of other rules ended',
    file: 'src/store/rule-adoption.ts',
    from: 'adopting === next ? Number(adopted_to) : -1',
    to: 'adopting === undefined ? -1 : Number(adopted_to)',
    tests: SCORING,
    ...ON_SQLITE,
  },
]
