import { expect, test } from 'bun:test'
import type { CredentialChange, LogEvent, ScoreState } from '../../../src/core/history/event.ts'
import { diffOf } from '../../support/store/events-after-time.ts'

const state = (total: number): ScoreState => ({
  scores: { total, activity: 0, identity: 0, skills: 0 },
  human: false,
  calculatedAt: 0,
  rules: 'r',
  credentials: [],
})
const at = { passportId: 7, time: 0 }
const credential = (type: string, before: number, after: number): CredentialChange => ({
  type,
  cause: 'value',
  score: [before, after],
  before: {},
})
const changed = (
  sequence: number,
  before: number,
  after: number,
  credentials = [credential('github', before, after)],
): LogEvent => ({
  ...at,
  sequence,
  type: 'score.changed',
  change: { score: [before, after], rules: ['r', 'r'], credentials },
})
const added = (sequence: number, score: number): LogEvent => ({
  ...at,
  sequence,
  type: 'passport.added',
  score,
  human: false,
  rules: 'r',
})
const renamed: LogEvent = { ...at, sequence: 9, type: 'passport.changed', fields: [] }
const removed: LogEvent = { ...at, sequence: 9, type: 'passport.removed' }

const github = (delta: number) => ({ type: 'github', delta, cause: 'value' as const })

test.each<[string, number, LogEvent[], [number | null, number | null], object[]]>([
  ['a state that is as old as the newest event', 9, [changed(2, 3, 9)], [3, 9], [github(6)]],
  ['a state that is older than the newest event', 3, [changed(2, 3, 9)], [3, 9], [github(6)]],
  ['a state that is older than several events', 3, [changed(3, 9, 5), changed(2, 3, 9)], [3, 5], [github(2)]],
  ['changes that cancel each other', 3, [changed(3, 9, 3), changed(2, 3, 9)], [3, 3], []],
  ['a newest event without a score', 3, [renamed, changed(2, 3, 9)], [3, 9], [github(6)]],
  ['a state that is newer than the newest event', 20, [changed(2, 3, 9)], [3, 9], [github(6)]],
  [
    'events with a gap between their scores',
    9,
    [changed(3, 5, 9), changed(2, 1, 3)],
    [1, 9],
    [github(6), { delta: 2, cause: 'rules' }],
  ],
  [
    'a passport that was added with another score',
    3,
    [added(1, 9)],
    [null, 9],
    [{ delta: 9, cause: 'rules' }],
  ],
  ['a passport that was removed after it was read', 9, [removed], [null, null], []],
  ['no event', 9, [], [9, 9], []],
])('the causes of %s add up to the difference', (_, current, events, score, causes) => {
  const diff = diffOf(state(current), events)
  expect<unknown>(diff).toMatchObject({ score, causes })
  const sum = diff.causes.reduce((total, { delta }) => total + delta, 0)
  expect(sum).toBe((diff.score[1] ?? 0) - (diff.score[0] ?? 0))
})

test('the largest causes are first, whatever their sign', () => {
  const event = changed(1, 6, 3, [credential('ens', 1, 2), credential('github', 5, 1)])
  expect(diffOf(state(3), [event]).causes).toEqual([github(-4), { type: 'ens', delta: 1, cause: 'value' }])
})
