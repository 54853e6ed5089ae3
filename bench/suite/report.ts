import { readFileSync, writeFileSync } from 'node:fs'
import type { Figure } from './figures.ts'
import type { Machine } from './machine.ts'
import type { Options } from './options.ts'
import { READS, type Read } from './reads.ts'
import { spreadOf, type Turn, type Turns } from './turns.ts'

export type Report = {
  machine: Machine
  options: Pick<Options, 'passports' | 'growth' | 'rounds' | 'seconds'>
  sizes: Readonly<Record<string, number>>
  figures: readonly Figure[]
  turns: ReturnType<Turns['all']>
}

type Row = Record<string, string>

/** Tables for a terminal. */
export function printReport(report: Report): void {
  console.log(describe(report))
  console.table(rateRows(report))
  console.table(figureRows(report))
}

const BEGIN = '<!-- results: written by npm run bench -- --markdown -->'
const END = '<!-- end of results -->'

/** Puts the tables between the marks of a page. */
export function writeMarkdown(path: string, report: Report): void {
  const page = readFileSync(path, 'utf8')
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${path} has no marks for the results`)
  const parts = [
    BEGIN,
    describe(report),
    markdownTable(figureRows(report)),
    markdownTable(rateRows(report)),
    END,
  ]
  writeFileSync(path, page.slice(0, begin) + parts.join('\n\n') + page.slice(end + END.length))
}

function describe({ machine, options, sizes }: Report): string {
  const { cores, processor, memory, system, bun, date } = machine
  const { passports, growth, rounds, seconds } = options
  const bytes = Object.entries(sizes).map(([read, size]) => `${READS[read as Read]} ${count(size)}`)
  return `${count(passports)} passports, "fewer" are ${count(growth)}. ${date}: ${cores} cores of ${processor}, ${memory}, ${system},
Bun ${bun}. Turns of ${seconds} s, ${rounds} each; medians, with the least and the most. Bytes of a body: ${bytes.join(', ')}.`
}

/** What was measured, before it is compared. */
function rateRows({ turns }: Report): Row[] {
  return turns.map(({ side, read, turns }) => ({
    side,
    read: READS[read as Read] ?? 'keyword, mixed',
    'a second': spread(turns, ({ rate }) => rate),
    'processor µs': typical(turns, ({ processor }) => processor, 1),
    'mean ms': typical(turns, ({ mean }) => mean, 2),
    'p99 ms': typical(turns, ({ p99 }) => p99, 2),
  }))
}

function figureRows({ figures }: Report): Row[] {
  return figures.map(({ name, unit, value, low, high, processor, goal, reached }) => ({
    figure: name,
    value: `${round(value, unit)} ${unit === 'times' ? '' : unit}`.trim(),
    spread: low === high ? '' : `${round(low, unit)}-${round(high, unit)}`,
    'by processor time': processor === undefined ? '' : round(processor, 'times'),
    goal: goal === undefined ? '' : 'least' in goal ? `>= ${goal.least}` : `<= ${goal.most}`,
    reached: reached === undefined ? '' : reached ? 'yes' : 'NO',
  }))
}

const round = (value: number, unit: Figure['unit']) =>
  unit === 'times' ? readable(value) : count(Math.round(value))

function spread(turns: readonly Turn[], of: (turn: Turn) => number): string {
  const { value, low, high } = spreadOf(turns.map(of))
  return `${readable(value)} (${readable(low)}-${readable(high)})`
}

/** Whole where it is large, with two digits at least. */
const readable = (value: number) =>
  value >= 100 ? count(Math.round(value)) : value >= 0.1 ? value.toFixed(2) : value.toPrecision(2)

function typical(turns: readonly Turn[], of: (turn: Turn) => number | undefined, digits: number): string {
  const { value } = spreadOf(turns.map((turn) => of(turn) ?? Number.NaN))
  return Number.isNaN(value) ? '' : value.toFixed(digits)
}

function markdownTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) =>
    Math.max(...[column, ...rows.map((row) => row[column] ?? '')].map(({ length }) => length)),
  )
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`
  return [
    line(columns),
    line(
      columns.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(columns.map((column) => row[column] ?? ''))),
  ].join('\n')
}

const count = (number: number) => number.toLocaleString('en')
