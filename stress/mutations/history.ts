import { type Mutation, ON_SQLITE } from './mutation.ts'

const AS_OF = ['test/api/v3/as-of.test.ts']
const DIFF = ['test/api/v3/diff.test.ts']
const FOLD = ['test/domain/history/score-diff.test.ts']
const EVENTS = ['test/store/events/events.test.ts', 'test/store/events/event-log.test.ts']

const CHAIN = ['test/store/events/hash-chain.test.ts']

/** Mutations of the event log and of reads as of a past time. */
export const HISTORY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'as_of: a change at the time of as_of is undone',
    file: 'src/store/sqlite/events.ts',
    from: 'row.time <= time) break',
    to: 'row.time < time) break',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'as_of: times in the future are accepted',
    file: 'src/api/v3/parameters.ts',
    from: 'time !== undefined && time <= now',
    to: 'time !== undefined',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'as_of: times before the log are accepted',
    file: 'src/api/v3/parameters.ts',
    from: 'if (time >= knownSince) return',
    to: 'if (time > 0) return',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'undo: a passport exists before it was added',
    file: 'src/domain/history/undo.ts',
    from: "event.type === 'passport.added' || ",
    to: '',
    tests: [...AS_OF, ...FOLD],
    title: '^(?!postgres)',
  },
  {
    name: 'undo: a credential exists before it was added',
    file: 'src/domain/history/undo.ts',
    from: '  if (before === null) return all.filter((credential) => !isSameCredential(credential))\n',
    to: '  if (before === null) return all\n',
    tests: AS_OF,
    ...ON_SQLITE,
  },
  {
    name: 'fold: the score is that of the oldest event',
    file: 'src/domain/history/score-diff.ts',
    from: 'score ??= event.change.score[1]',
    to: 'score = event.change.score[1]',
    tests: FOLD,
  },
  {
    name: 'fold: causes are not in the order of their size',
    file: 'src/domain/history/score-diff.ts',
    from: 'Math.abs(other.delta) - Math.abs(one.delta)',
    to: 'other.delta - other.delta',
    tests: FOLD,
  },
  {
    name: 'diff: a change at the end is left out',
    file: 'src/store/read-later-events.ts',
    from: 'time <= to)',
    to: 'time < to)',
    tests: DIFF,
    ...ON_SQLITE,
  },
  {
    name: 'diff: the end may be before the begin',
    file: 'src/api/v3/diff.ts',
    from: 'times.from > times.to',
    to: 'times.from > times.to + 86_400_000',
    tests: ['test/api/v3/problems.test.ts'],
  },
  {
    name: 'events: the events of a batch have reversed numbers',
    file: 'src/store/sql/write-events.ts',
    from: 'before + 1 + at,',
    to: 'before + events.length - at,',
    tests: EVENTS,
    ...ON_SQLITE,
  },
  {
    name: 'events: times decrease when the clock is set back',
    file: 'src/store/sql/write-events.ts',
    from: "LATER = 'case when time > $2 then time else $2 end'",
    to: "LATER = '$2'",
    tests: EVENTS,
    ...ON_SQLITE,
  },
  {
    name: 'events: the history of a removed passport stays',
    file: 'src/store/sql/write-events.ts',
    from: 'if (removed.length > 0) await buryEvents',
    to: 'if (removed.length < 0) await buryEvents',
    tests: ['test/store/removal-leaves-no-bytes.test.ts', ...EVENTS],
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: the leaf of a removal depends on a secret that may change',
    file: 'src/store/rows/event-proof.ts',
    from: "event.type === 'passport.removed' || !row.secret",
    to: '!row.secret',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: pruned events are not added to the base',
    file: 'src/store/sql/write-events.ts',
    from: 'first = $1 + 1, base = $3,',
    to: 'first = $1 + 1, base = base,',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'hash chain: a removal keeps the secret',
    file: 'src/store/sql/write-events.ts',
    from: 'delete from log_secrets where ${isRemoved}',
    to: 'delete from log_secrets where ${isRemoved} and passport_id < 0',
    tests: CHAIN,
    ...ON_SQLITE,
  },
  {
    name: 'movers: a tombstone ends the search',
    file: 'src/catalog/movers.ts',
    from: 'time > 0 && time <= since',
    to: 'time <= since',
    tests: ['test/catalog/movers.test.ts'],
    ...ON_SQLITE,
  },
  {
    name: 'verify: a stored head is not compared',
    file: 'src/cli/commands/proof/verify-log.ts',
    from: 'if (head !== known) throw',
    to: "if (head !== known && whose !== 'the stored head') throw",
    tests: ['test/cli/proof/verify-log.test.ts'],
    ...ON_SQLITE,
  },
]
