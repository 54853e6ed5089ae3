/** What a command may touch of the world outside. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  now: () => number
  random: (bytes: number) => Uint8Array
  out: (text: string) => void
  err: (text: string) => void
  /** For entries of the log: never waits and never fails, and drops what nobody reads. */
  log: (line: string) => void
  /** Whether a person reads what goes to `err`. */
  interactive: boolean
  /** How wide it is. */
  columns: () => number
}
