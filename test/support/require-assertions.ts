/** Preloaded by bunfig.toml: a test without an assertion fails. */
import { beforeEach, expect } from 'bun:test'

beforeEach(() => {
  try {
    expect.hasAssertions()
  } catch {
    // Bun cannot count the assertions of concurrent tests.
  }
})
