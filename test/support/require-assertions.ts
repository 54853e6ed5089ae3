/** Preloaded by bunfig.toml. Makes every test without an assertion fail. */
import { beforeEach, expect, setDefaultTimeout } from 'bun:test'

// The default timeout of Bun is too short for a busy machine. This sets it for one file; "npm test" sets it for all.
setDefaultTimeout(600_000)

beforeEach(() => {
  try {
    expect.hasAssertions()
  } catch {
    // Bun cannot count the assertions of concurrent tests.
  }
})
