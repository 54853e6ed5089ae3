import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { allowProcesses } from './support/processes.ts'

test('a test outside of test/system cannot start a process', () => {
  const refusal = 'This test starts a process: move it to test/system.'
  expect(() => Bun.spawn(['true'])).toThrow(refusal)
  expect(() => Bun.spawnSync(['true'])).toThrow(refusal)
  expect(spawnSync('true').error?.message).toBe(refusal)
  expect(allowProcesses(() => spawnSync('true').status)).toBe(0)
})
