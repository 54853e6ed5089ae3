const SECOND = 1000
const UNITS = [
  { short: 'd', word: 'd', size: 86_400 * SECOND },
  { short: 'h', word: 'h', size: 3600 * SECOND },
  { short: 'm', word: 'min', size: 60 * SECOND },
  { short: 's', word: 's', size: SECOND },
] as const

const PATTERN = new RegExp(`^${UNITS.map(({ short }) => `(?:(\\d{1,5})${short})?`).join('')}$`)

/** Parses a duration such as 2h, 90m or 1d12h to milliseconds. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text)
  if (match === null || text === '') return undefined
  return UNITS.reduce((sum, { size }, at) => sum + Number(match[at + 1] ?? 0) * size, 0)
}

/** Formats a duration: "2 h", "1 d 12 h", "0 s". */
export function formatDuration(milliseconds: number): string {
  const words: string[] = []
  let rest = milliseconds
  for (const { word, size } of UNITS) {
    const whole = Math.floor(rest / size)
    if (whole > 0) words.push(`${whole} ${word}`)
    rest -= whole * size
  }
  return words.join(' ') || '0 s'
}
