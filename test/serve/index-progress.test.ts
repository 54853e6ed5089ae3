import { expect, test } from 'bun:test'
import { createIndexProgress } from '../../src/serve/index-progress.ts'

function logSteps(steps: readonly (readonly [now: number, read: number, total: number])[]): string[] {
  const lines: string[] = []
  let time = 0
  const progress = createIndexProgress({ info: (line) => lines.push(line) }, () => time)
  for (const [now, read, total] of steps) {
    time = now
    progress(read, total)
  }
  return lines
}

test('a long build of the index is logged every five seconds and at its end', () => {
  expect(
    logSteps([
      [1000, 0, 2_000_000],
      [5999, 900_000, 2_000_000],
      [6000, 999_999, 2_000_000],
      [7000, 1_200_000, 2_000_000],
      [13_400, 2_000_000, 2_000_000],
    ]),
  ).toEqual([
    'Building the index for filters: 49 %.',
    'The index for filters is ready: 2,000,000 passports in 12 s.',
  ])
})

test('short builds are not logged, also after a long one', () => {
  const long = [
    [0, 0, 10],
    [5000, 5, 10],
    [5000, 10, 10],
  ] as const
  expect(logSteps([[0, 0, 0]])).toEqual([])
  expect(logSteps([...long, [6000, 0, 10], [7000, 10, 10]])).toHaveLength(2)
})
