export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  now: () => number
  out: (text: string) => void
  err: (text: string) => void
  /** Writes to standard output like `log`. */
  announce: (text: string) => void
  /** Writes a log entry: never blocks or fails, and drops entries if nobody reads. */
  log: (line: string) => void
  /** Whether `err` is a terminal. */
  interactive: boolean
  /** Ends the process at once. */
  exit: (code: number) => void
}
