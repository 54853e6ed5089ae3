/** What became of a part: how many times it was done, and how many of these lost something, each told as it was found. */
export type Outcome = { count: number; lost: number; note?: string }

/** Something that must not hurt, done many times over. */
export type Part = {
  name: string
  /** What is done and counted, for the table. */
  what: string
  /** How many times: when it is run by hand, and among the tests. */
  long: number
  short: number
  run(times: number, tell: (line: string) => void): Promise<Outcome>
}
