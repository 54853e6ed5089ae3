import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { allowProcesses } from './support/processes.ts'

const isQuick = process.env.TIER === 'quick'

// All tests together may start processes.
if (isQuick)
  test('a quick test cannot start a process', () => {
    const refusal = 'This test starts a process: move it to test/system.'
    expect(() => Bun.spawn(['true'])).toThrow(refusal)
    expect(() => Bun.spawnSync(['true'])).toThrow(refusal)
    expect(spawnSync('true').error?.message).toBe(refusal)
    expect(allowProcesses(() => spawnSync('true').status)).toBe(0)
  })
