import { type Mutation, ON_SQLITE } from './mutation.ts'

const AS_OF = ['test/features/passports/as-of.test.ts']
const DIFF = ['test/features/events/diff.test.ts']
const FOLD = ['test/core/history/score-diff.test.ts']
const EVENTS = ['test/core/history/events.test.ts', 'test/core/history/event-log.test.ts']

const CHAIN = ['test/core/history/hash-chain.test.ts']

/** Mutations of the event log and of reads as of a past time. */
export const HISTORY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'as_of: a change at the time of as_of is undone',
    file: 'src/core/store/sql/events.ts',
    from: 'and time > $2 and',
    to: 'and time >= $2 and',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'as_of: times in the future are accepted',
    file: 'src/core/api/parameters.ts',
    from: 'time !== undefined && time <= now',
    to: 'time !== undefined',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'as_of: times before the log are accepted',
    file: 'src/core/api/parameters.ts',
    from: 'if (time >= knownSince) return',
    to: 'if (time > 0) return',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'undo: a passport exists before it was added',
    file: 'src/core/history/undo.ts',
    from: "event.type === 'passport.added' || ",
    to: '',
    tests: [...AS_OF, ...FOLD],
    title: '^(?!postgres)',
  },
  {
    name: 'undo: a credential exists before it was added',
    file: 'src/core/history/undo.ts',
    from: '  if (before === null) return all.filter((credential) => !isSameCredential(credential))\n',
    to: '  if (before === null) return all\n',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'fold: the score is that of the oldest event',
    file: 'src/core/history/score-diff.ts',
    from: 'score ??= event.change.score[1]',
    to: 'score = event.change.score[1]',
    tests: FOLD,
  },
  {
    name: 'fold: causes are not in the order of their size',
    file: 'src/core/history/score-diff.ts',
    from: 'Math.abs(other.delta) - Math.abs(one.delta)',
    to: 'other.delta - other.delta',
    tests: FOLD,
  },
  {
    name: 'diff: a change at the end is left out',
    file: 'src/core/history/read-later.ts',
    from: 'time <= to)',
    to: 'time < to)',
    tests: DIFF,
    ...ON_SQLITE,
  },
  {
    name: 'diff: the end may be before the begin',
    file: 'src/features/events/diff.ts',
    from: 'times.from > times.to',
    to: 'times.from > times.to + 86_400_000',
    tests: ['test/features/passports/problems.test.ts'],
  },
  {
    name: 'events: the events of a batch have reversed numbers',
    file: 'src/core/store/write/write-events.ts',
    from: 'before + 1 + at,',
    to: 'before + events.length - at,',
    tests: EVENTS,
    ...ON_SQLITE,
  },
  {
    name: 'events: times decrease when the clock is set back',
    file: 'src/core/store/write/write-events.ts',
    from: "LATER = 'case when time > $2 then time else $2 end'",
    to: "LATER = '$2'",
    tests: EVENTS,
    ...ON_SQLITE,
  },
  {
    name: 'events: the history of a removed passport stays',
    file: 'src/core/store/write/write-events.ts',
    from: 'if (removed.length > 0) await buryEvents',
    to: 'if (removed.length < 0) await buryEvents',
    tests: ['test/core/store/removal-leaves-no-bytes.test.ts', ...EVENTS],
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: the leaf of a removal depends on a secret that may change',
    file: 'src/core/store/rows/event-proof.ts',
    from: "event.type === 'passport.removed' || !row.secret",
    to: '!row.secret',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: pruned events are not added to the base',
    file: 'src/core/store/write/write-events.ts',
    from: 'first = $1 + 1, base = $3,',
    to: 'first = $1 + 1, base = base,',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: a removal keeps the secret',
    file: 'src/core/store/write/write-events.ts',
    from: 'delete from log_secrets where ${isOne}',
    to: 'delete from log_secrets where ${isOne} and passport_id < 0',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'movers: a tombstone ends the search',
    file: 'src/features/movers/find-movers.ts',
    from: 'time > 0 && time <= since',
    to: 'time <= since',
    tests: ['test/features/movers/find-movers.test.ts'],
    ...ON_SQLITE,
  },
  {
    name: 'verify: a stored head is not compared',
    file: 'src/features/proof/verify-log.ts',
    from: 'if (head !== known) throw',
    to: "if (head !== known && whose !== 'the stored head') throw",
    tests: ['test/features/proof/verify-log.test.ts'],
    ...ON_SQLITE,
  },
]
