import { roundScore } from '../../core/passport/credential.ts'
import { type Level, levelOf } from '../../core/passport/rules/rule-set.ts'
import { type ExplainedScore, score } from '../../core/scoring/score.ts'
import { type RuleSet, watchedTypesOf } from '../../core/scoring/stamped-rule-set.ts'
import type { Store } from '../../core/store/store.ts'
import type { Scorable } from '../../core/store/write/apply-score.ts'

/** Passports in memory at once. */
const BATCH = 500
/** The result lists this many of the largest changes. */
const LARGEST = 10
/** The result lists at most this many ids of passports that gain the checkmark, and as many of those that lose it. */
const NAMED = 20

/** Bounds of the histogram; a change of less than 1 counts as 1. */
const BOUNDS = [1, 10, 20, 50] as const

/** The points of one credential type with each of the two rule sets. */
export type Reason = { type: string; before: number; after: number }
export type Change = { id: number; before: number; after: number; reasons: Reason[] }
export type Checkmarks = { count: number; ids: number[] }
export type LevelCount = Level & { passports: number }

export type RulesDiff = ReturnType<typeof emptyDiff>

type Options = {
  store: Store
  /** The active rule set and the one to compare it with. */
  before: RuleSet
  after: RuleSet
  now: number
  onProgress: (done: number) => void
}

/** Scores all listed passports with both rule sets, as of the time `now`. Writes nothing. */
export async function diffRules(options: Options): Promise<RulesDiff> {
  const { store, before, after, onProgress } = options
  const diff = emptyDiff(before, after)
  const watched = watchedTypesOf(before, after)
  for (let last = -1; ; ) {
    const batch = await store.scoring.list(last, BATCH, watched)
    for (const passport of batch) add(diff, passport, options)
    diff.largest = diff.largest.toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.id - b.id).slice(0, LARGEST)
    onProgress(diff.passports)
    const end = batch.at(-1)
    if (end === undefined) return diff
    last = end.id
  }
}

const emptyDiff = (before: RuleSet, after: RuleSet) => ({
  passports: 0,
  rise: 0,
  fall: 0,
  /** The number of passports in each range of changes, from the largest loss to the largest gain. */
  histogram: new Map(
    [...BOUNDS.toReversed().map((bound) => -bound), 0, ...BOUNDS].map((change) => [label(change), 0]),
  ),
  largest: [] as Change[],
  gained: { count: 0, ids: [] } as Checkmarks,
  lost: { count: 0, ids: [] } as Checkmarks,
  /** Passports in each level of both rule sets; empty without levels. */
  levels: { before: toCounts(before), after: toCounts(after) },
  /** Passports that cannot be scored by one of the rule sets. */
  failed: 0,
})

const toCounts = ({ levels = [] }: RuleSet): LevelCount[] =>
  levels.map((level) => ({ ...level, passports: 0 }))

function add(diff: RulesDiff, passport: Scorable, { before, after, now }: Options): void {
  diff.passports++
  let outcomes: [ExplainedScore, ExplainedScore]
  try {
    outcomes = [score(passport, before, now), score(passport, after, now)]
  } catch {
    // The scorer logs the reason when it scores this passport.
    diff.failed++
    return
  }
  const [old, next] = outcomes
  addLevel(diff.levels.before, old)
  addLevel(diff.levels.after, next)
  if (old.human !== next.human) {
    const marks = next.human ? diff.gained : diff.lost
    if (marks.count++ < NAMED) marks.ids.push(passport.id)
  }
  const change = roundScore(next.scores.total - old.scores.total)
  diff.histogram.set(label(change), (diff.histogram.get(label(change)) ?? 0) + 1)
  if (change === 0) return
  if (change > 0) diff.rise++
  else diff.fall++
  diff.largest.push({
    id: passport.id,
    before: old.scores.total,
    after: next.scores.total,
    reasons: reasonsOf(old, next),
  })
}

function addLevel(levels: LevelCount[], { scores }: ExplainedScore): void {
  const match = levelOf(scores.total, { levels })
  if (match) match.level.passports++
}

const sizeOf = ({ before, after }: { before: number; after: number }) => Math.abs(after - before)

function reasonsOf(old: ExplainedScore, next: ExplainedScore): Reason[] {
  const [before, after] = [pointsByType(old), pointsByType(next)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((type) => ({ type, before: before.get(type) ?? 0, after: after.get(type) ?? 0 }))
    .filter((reason) => reason.before !== reason.after)
    .sort((a, b) => sizeOf(b) - sizeOf(a))
}

function pointsByType({ credentials }: ExplainedScore): Map<string, number> {
  const points = new Map<string, number>()
  for (const { type, score, superseded } of credentials)
    if (!superseded) points.set(type, (points.get(type) ?? 0) + score)
  return points
}

function label(change: number): string {
  if (change === 0) return '0'
  const at = BOUNDS.findLastIndex((bound) => Math.max(1, Math.abs(change)) >= bound)
  const [from, until] = [BOUNDS[at], BOUNDS[at + 1]]
  const sign = change > 0 ? '+' : '-'
  if (until === undefined) return `${sign}${from} or more`
  return change > 0 ? `+${from} to +${until - 1}` : `-${until - 1} to -${from}`
}
