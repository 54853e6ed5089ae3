import { describe, expect, test } from 'bun:test'
import { createProgress } from '../../src/cli/progress.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

/** A terminal whose clock stands still until it is moved, and what was written to it. */
function fakeTerminal(interactive: boolean) {
  let time = 1_000_000
  const written: string[] = []
  const terminal: Terminal = {
    env: {},
    now: () => time,
    random: (bytes) => new Uint8Array(bytes),
    out: () => {},
    err: (text) => written.push(text),
    log: () => {},
    interactive,
    columns: () => 200,
  }
  return {
    terminal,
    written,
    pass(seconds: number) {
      time += seconds * 1000
    },
  }
}

describe('on a terminal', () => {
  test('a bar redraws itself, with rate and time left', () => {
    const { terminal, written, pass } = fakeTerminal(true)
    const progress = createProgress(terminal, { unit: 'lines', total: 1000 })
    pass(10)
    progress.update(20_000, 250)
    pass(20)
    progress.update(60_000, 750)
    pass(10)
    progress.update(80_000, 1000)
    progress.end()
    expect(written).toEqual([
      '\r\x1b[2K[######..................] 25 %, 20,000 lines, 2,000 a second, 30 s left',
      '\r\x1b[2K[##################......] 75 %, 60,000 lines, 2,000 a second, 10 s left',
      '\r\x1b[2K[########################] 100 %, 80,000 lines, 2,000 a second',
      '\r\x1b[2K',
    ])
  })

  test('it is drawn ten times a second at most', () => {
    const { terminal, written, pass } = fakeTerminal(true)
    const progress = createProgress(terminal, { unit: 'lines', total: 1000 })
    for (let at = 0; at < 1000; at++) {
      pass(0.001)
      progress.update(at)
    }
    expect(written).toHaveLength(10)
  })

  test('it makes room for a message, and comes back', () => {
    const { terminal, written, pass } = fakeTerminal(true)
    const progress = createProgress(terminal, { unit: 'lines' })
    pass(1)
    progress.update(1)
    progress.end()
    progress.end()
    pass(1)
    progress.update(2)
    expect(written).toEqual(['\r\x1b[2K1 lines, 1 a second', '\r\x1b[2K', '\r\x1b[2K2 lines, 1 a second'])
  })

  test('quick work shows nothing', () => {
    const { terminal, written, pass } = fakeTerminal(true)
    const progress = createProgress(terminal, { unit: 'lines', total: 10 })
    pass(0.05)
    progress.update(5)
    progress.end()
    expect(written).toEqual([])
  })
})

describe('elsewhere', () => {
  test('a plain line comes every five seconds', () => {
    const { terminal, written, pass } = fakeTerminal(false)
    const progress = createProgress(terminal, { unit: 'records', total: 100_000 })
    for (let second = 1; second <= 12; second++) {
      pass(1)
      progress.update(second * 1000)
    }
    progress.end()
    expect(written).toEqual([
      '5 %, 5,000 records, 1,000 a second, 1 min 35 s left\n',
      '10 %, 10,000 records, 1,000 a second, 1 min 30 s left\n',
    ])
  })

  test('where the end is not known there is no share and no time left', () => {
    const { terminal, written, pass } = fakeTerminal(false)
    const progress = createProgress(terminal, { unit: 'records' })
    pass(5)
    progress.update(12_345)
    expect(written).toEqual(['12,345 records, 2,469 a second\n'])
  })

  test('long times are told in hours', () => {
    const { terminal, written, pass } = fakeTerminal(false)
    const progress = createProgress(terminal, { unit: 'records', total: 1_000_000 })
    pass(100)
    progress.update(10_000)
    expect(written).toEqual(['1 %, 10,000 records, 100 a second, 2 h 45 min left\n'])
  })

  test('a total that changes on the way counts, and more than all is all', () => {
    const { terminal, written, pass } = fakeTerminal(false)
    const progress = createProgress(terminal, { unit: 'passports', total: 10 })
    pass(5)
    progress.update(10, 10, 20)
    pass(5)
    progress.update(30)
    expect(written).toEqual([
      '50 %, 10 passports, 2 a second, 5 s left\n',
      '100 %, 30 passports, 3 a second\n',
    ])
  })
})
