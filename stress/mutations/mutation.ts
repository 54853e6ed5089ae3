/** A change of one line of source, with the tests that must fail after it. */
export type Mutation = {
  /** The subject, and what the changed program does wrong. */
  name: string
  file: string
  /** Occurs exactly once in the file. */
  from: string
  to: string
  /** Test files. */
  tests: readonly string[]
  /** Runs only tests whose title matches this pattern, so that the run is short. */
  title?: string
}

/** Most tests run on both engines: SQLite starts faster. */
export const ON_SQLITE = { title: '^sqlite' }
