import { readFileSync, writeFileSync } from 'node:fs'
import { type Figure, spreadOf } from './figures.ts'
import type { Machine } from './machine.ts'
import { READS, V3_READS } from './read-loads.ts'
import type { Sample, Series } from './rounds.ts'

export type Report = {
  machine: Machine
  options: { passports: number; fewer: number; rounds: number; seconds: number }
  figures: readonly Figure[]
  series: readonly Series[]
}

type Row = Record<string, string>

export function printReport(report: Report): void {
  console.log(describe(report))
  console.log(table(seriesRows(report)))
  console.log(table(figureRows(report.figures)))
}

const BEGIN = '<!-- results: written by npm run bench -- --markdown -->'
const END = '<!-- end of results -->'

/** Replaces the text between the two markers of a page. */
export function writeMarkdown(path: string, report: Report): void {
  const page = readFileSync(path, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${path} must contain ${BEGIN} and, after it, ${END}`)
  const parts = [BEGIN, describe(report), table(figureRows(report.figures)), table(seriesRows(report)), END]
  writeFileSync(path, page.slice(0, begin) + parts.join('\n\n') + page.slice(end + END.length))
}

function describe({ machine, options }: Report): string {
  const { cores, processor, memory, system, bun, date } = machine
  const { passports, fewer, rounds, seconds } = options
  return `${count(passports)} passports; \`fewer\` has ${count(fewer)}. ${date}: ${cores} cores of ${processor}, ${memory}, ${system}, Bun ${bun}.
${rounds} rounds, ${seconds} s each load; medians with the lowest and the highest.`
}

const NAMES: Record<string, string> = {
  ...READS,
  ...V3_READS,
  'by-id-paced': 'by id, paced',
  keywords: 'keywords',
}

function seriesRows({ series }: Report): Row[] {
  return series.map(({ side, read, samples }) => ({
    side,
    read: NAMES[read] ?? read,
    'requests a second': spread(samples, ({ rate }) => rate),
    'CPU µs a request': samples.every(({ cpu }) => cpu) ? spread(samples, ({ cpu }) => cpu ?? 0) : '',
    'p99 ms': readable(spreadOf(samples.map(({ p99 }) => p99)).value),
  }))
}

export function figureRows(figures: readonly Figure[]): Row[] {
  return figures.map(({ name, unit, value, low, high, goal, reached }) => ({
    figure: name,
    value: `${readable(value)} ${unit}`.trim(),
    spread: low === high ? '' : `${readable(low)}-${readable(high)}`,
    goal: goal === undefined ? '' : 'least' in goal ? `>= ${goal.least}` : `<= ${goal.most}`,
    reached: reached === undefined ? '' : reached ? 'yes' : 'NO',
  }))
}

function spread(samples: readonly Sample[], of: (sample: Sample) => number): string {
  const { value, low, high } = spreadOf(samples.map(of))
  return `${readable(value)} (${readable(low)}-${readable(high)})`
}

const readable = (value: number) => (value >= 100 ? count(Math.round(value)) : value.toFixed(2))

/** A Markdown table with aligned columns. */
export function table(rows: readonly Row[]): string {
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

const count = (number: number) => number.toLocaleString('en')
