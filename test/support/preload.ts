/** Preloaded by bunfig.toml. Makes every test without an assertion fail, and tests outside of test/system that start processes. */
import { beforeEach, expect, setDefaultTimeout } from 'bun:test'
import { forbidProcesses } from './processes.ts'

// The default timeout of Bun is too short for a busy machine. This sets it for one file; "npm test" sets it for all.
setDefaultTimeout(600_000)

forbidProcesses()

beforeEach(() => {
  try {
    expect.hasAssertions()
  } catch {
    // Bun cannot count the assertions of concurrent tests.
  }
})
