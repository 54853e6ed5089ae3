import { expect, test } from 'bun:test'
import { createProgress } from '../../../src/core/cli/progress.ts'

function fakeTerminal(interactive: boolean) {
  let time = 1_000_000
  const written: string[] = []
  const terminal = { now: () => time, err: (text: string) => void written.push(text), interactive }
  return {
    terminal,
    written,
    pass(seconds: number) {
      time += seconds * 1000
    },
  }
}

type Step = [seconds: number, done: number, measured?: number, total?: number]

function show(interactive: boolean, unit: string, total: number | undefined, steps: Step[]): string[] {
  const { terminal, written, pass } = fakeTerminal(interactive)
  const progress = createProgress(terminal, unit, total)
  for (const [seconds, ...update] of steps) {
    pass(seconds)
    progress.update(...update)
  }
  progress.end()
  return written
}

test('the progress line is drawn at most ten times a second, and short work shows none', () => {
  const steps = Array.from({ length: 1000 }, (_, at): Step => [0.001, at])
  expect(show(true, 'lines', 1000, steps)).toHaveLength(10 + 1)
  expect(show(true, 'lines', 10, [[0.05, 5]])).toEqual([])
})

test('the progress line is cleared for a message, and drawn again', () => {
  const { terminal, written, pass } = fakeTerminal(true)
  const progress = createProgress(terminal, 'lines')
  pass(1)
  progress.update(1)
  progress.end()
  progress.end()
  pass(1)
  progress.update(2)
  expect(written).toEqual(['\r\x1b[2K1 lines, 1 a second', '\r\x1b[2K', '\r\x1b[2K2 lines, 1 a second'])
})

test.each<[string, boolean, number | undefined, Step[], string[]]>([
  [
    'one line with share, rate and remaining time on a terminal',
    true,
    1000,
    [
      [10, 20_000, 250],
      [20, 60_000, 750],
      [10, 80_000, 1000],
    ],
    [
      '\r\x1b[2K25 %, 20,000 records, 2,000 a second, 30 s left',
      '\r\x1b[2K75 %, 60,000 records, 2,000 a second, 10 s left',
      '\r\x1b[2K100 %, 80,000 records, 2,000 a second',
      '\r\x1b[2K',
    ],
  ],
  [
    'a plain line every five seconds',
    false,
    100_000,
    Array.from({ length: 12 }, (_, at) => [1, (at + 1) * 1000]),
    [
      '5 %, 5,000 records, 1,000 a second, 1 min 35 s left\n',
      '10 %, 10,000 records, 1,000 a second, 1 min 30 s left\n',
    ],
  ],
  [
    'a total that changes, and never more than 100 percent',
    false,
    10,
    [
      [5, 10, 10, 20],
      [5, 30],
    ],
    ['50 %, 10 records, 2 a second, 5 s left\n', '100 %, 30 records, 3 a second\n'],
  ],
])('the output shows %s', (_, interactive, total, steps, lines) => {
  expect(show(interactive, 'records', total, steps)).toEqual(lines)
})
