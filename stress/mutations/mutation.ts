/** A change of one line of source code, and the tests that must fail with it. */
export type Mutation = {
  /** Names the subject, and what the changed program does wrong. */
  name: string
  file: string
  /** The text to replace. It occurs exactly once in the file. */
  from: string
  to: string
  /** The test files to run. */
  tests: readonly string[]
  /** Runs only tests whose title matches this pattern, so that the run is short. */
  title?: string
}

/** Runs the tests on SQLite only, which starts faster than PostgreSQL. */
export const ON_SQLITE = { title: '^sqlite' }
