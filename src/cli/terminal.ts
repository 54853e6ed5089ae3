export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  now: () => number
  random: (bytes: number) => Uint8Array
  out: (text: string) => void
  err: (text: string) => void
  /** Writes to standard output like `log`. */
  announce: (text: string) => void
  /** Writes a log entry: never blocks or fails, and drops entries if nobody reads. */
  log: (line: string) => void
  /** Whether `err` is a terminal. */
  interactive: boolean
  /** Asks a person; absent without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Ends the process at once. */
  exit: (code: number) => void
}
