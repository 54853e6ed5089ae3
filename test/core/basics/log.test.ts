import { expect, test } from 'bun:test'
import { createLog } from '../../../src/core/basics/log.ts'

function lines(json: boolean): string[] {
  const written: string[] = []
  const log = createLog({ write: (line) => void written.push(line), json, now: () => 0 })
  log.warn('careful')
  log.error('line one\nline two', { request_id: 'r-1', status: 500 })
  return written
}

test('a JSON entry is one line, even if its message has several lines', () => {
  expect(lines(true)).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"careful"}\n',
    '{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"line one\\nline two","request_id":"r-1","status":500}\n',
  ])
})

test('a text entry indents the later lines of its message', () => {
  expect(lines(false)[0]).toBe('1970-01-01T00:00:00.000Z warn careful\n')
  expect(lines(false)[1]).toBe(
    '1970-01-01T00:00:00.000Z error line one\n  line two request_id="r-1" status=500\n',
  )
})

test.each([
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const)('a log with the level %s writes entries of the levels %j', (level, expected) => {
  const written: string[] = []
  const log = createLog({ write: (line) => void written.push(line), json: true, now: () => 0, level })
  for (const each of ['info', 'warn', 'error'] as const) log[each](each)
  expect(written.map((line) => JSON.parse(line).level)).toEqual([...expected])
})
