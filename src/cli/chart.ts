const HEIGHT = 5
const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const EIGHTHS = BLOCKS.length - 1
const WIDEST_BAR = 2

export type Bar = { day: string; count: number }

/** A bar for each day, side by side; for some days together, where there are more days than columns. */
export function formatChart(days: readonly Bar[], columns: number): string {
  const label = (count: number) => count.toLocaleString('en')
  const margin = label(days.reduce((sum, { count }) => sum + count, 0)).length
  const room = Math.max(1, columns - margin - 2)
  const together = Math.ceil(days.length / room)
  const bars = sumTogether(days, together)
  const most = Math.max(...bars, 0)
  // Thin bars have no gap: there would be room for half of them.
  const width = Math.max(1, Math.min(WIDEST_BAR, Math.floor(room / bars.length) - 1))
  const gap = bars.length * (width + 1) <= room ? ' ' : ''

  const lines = Array.from({ length: HEIGHT }, (_, line) => {
    const below = (HEIGHT - 1 - line) * EIGHTHS
    const row = bars.map((count) => blockOf(count, most, below).repeat(width)).join(gap)
    const name = line === 0 ? label(most) : line === HEIGHT - 1 ? '0' : ''
    return `${name.padStart(margin)} ${row}`.trimEnd()
  })
  const length = bars.length * (width + gap.length) - gap.length
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? '']
  const names =
    days.length === 1
      ? first
      : `${first}${' '.repeat(Math.max(1, length - first.length - last.length))}${last}`
  const scale = `${' '.repeat(margin + 1)}${names}`
  const each = together > 1 ? [`Each bar is ${together} days.`] : []
  return `${[...lines, ...(scale.length <= columns ? [scale] : [first, last]), ...each].join('\n')}\n`
}

function sumTogether(days: readonly Bar[], together: number): number[] {
  const sums: number[] = []
  days.forEach(({ count }, at) => {
    const bar = Math.floor(at / together)
    sums[bar] = (sums[bar] ?? 0) + count
  })
  return sums
}

/** The part of a bar on one line; whatever is not zero shows at least a little. */
function blockOf(count: number, most: number, below: number): string {
  if (count === 0) return ' '
  const eighths = Math.max(1, Math.round((count / most) * HEIGHT * EIGHTHS))
  return BLOCKS[Math.min(EIGHTHS, Math.max(0, eighths - below))] ?? ' '
}
