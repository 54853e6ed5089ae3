/** What a command may touch of the world outside. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  now: () => number
  random: (bytes: number) => Uint8Array
  out: (text: string) => void
  err: (text: string) => void
  /** Whether a person reads what goes to `err`. */
  interactive: boolean
}
