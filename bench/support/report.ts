import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, spreadOf } from './figures.ts'
import { describeMachine } from './machine.ts'
import { isRead, READ_NAMES } from './read-loads.ts'
import type { Sample, Series } from './rounds.ts'

/** What a part of the bench measured. */
export type Result = { figures: Figure[]; series: Series[] }

type Row = Record<string, string>

/** Prints a result. If `npm run bench` runs this part, the result is also written to the file BENCH_RESULT. */
export function printResult({ figures, series }: Result): void {
  const { BENCH_RESULT: file } = process.env
  if (file) writeFileSync(file, JSON.stringify({ figures, series }))
  console.log(describeMachine())
  if (series.length > 0) console.log(table(series.map(seriesRow)))
  if (figures.length > 0) console.log(table(figures.map(figureRow)))
}

const PAGE = join(import.meta.dir, '../RESULTS.md')
const BEGIN = '<!-- results: written by npm run bench -- --markdown -->'
const END = '<!-- end of results -->'

/** Replaces the text between the two markers of bench/RESULTS.md. */
export function writeMarkdown({ figures, series }: Result): void {
  const page = readFileSync(PAGE, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${PAGE} must contain ${BEGIN} and, after it, ${END}`)
  const machine = describeMachine()
  const rows = figures.map((figure) => ({ ...figureRow(figure), machine: machine.short }))
  const { cores, memory, system, bun, date, short } = machine
  const about = `${date}, ${short}: ${cores} cores, ${memory}, ${system}, Bun ${bun}. Medians with the lowest and the highest round.`
  const parts = [BEGIN, about, table(rows), table(series.map(seriesRow)), END]
  writeFileSync(PAGE, page.slice(0, begin) + parts.join('\n\n') + page.slice(end + END.length))
}

function seriesRow({ side, read, samples }: Series): Row {
  return {
    side,
    read: isRead(read) ? READ_NAMES[read] : read,
    'requests a second': spread(samples, ({ rate }) => rate),
    'CPU µs a request': spread(samples, ({ cpu }) => cpu ?? Number.NaN),
    'p99 ms': readable(spreadOf(samples.map(({ p99 }) => p99)).value),
  }
}

function figureRow({ name, unit, value, low, high, goal, reached, missing }: Figure): Row {
  return {
    figure: name,
    goal: goal === undefined ? '' : 'least' in goal ? `>= ${goal.least}` : `<= ${goal.most}`,
    value: `${readable(value)} ${unit}`.trim() + (missing ? ` (${missing} rounds without a response)` : ''),
    spread: low === high ? '' : `${readable(low)}-${readable(high)}`,
    reached: reached === undefined ? '' : reached ? 'yes' : 'NO',
  }
}

function spread(samples: readonly Sample[], of: (sample: Sample) => number): string {
  const { value, low, high } = spreadOf(samples.map(of))
  return Number.isNaN(value) ? '' : `${readable(value)} (${readable(low)}-${readable(high)})`
}

const readable = (value: number) =>
  Number.isNaN(value)
    ? 'none'
    : value >= 100
      ? Math.round(value).toLocaleString('en')
      : value.toFixed(2).replace(/\.00$/, '')

/** A Markdown table with aligned columns. */
function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [
    line(columns),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
  ].join('\n')
}
