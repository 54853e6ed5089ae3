import { median } from '../measure.ts'
import type { RecordRates } from '../record-rates.ts'
import { KEYWORD_READS, READS, type Read } from './reads.ts'
import { ratioOf, type Spread, spreadOf, type Turns } from './turns.ts'

/** A number that says something without the machine it was measured on, and what it should be. */
export type Figure = Spread & {
  name: string
  unit: 'times' | 'ms' | 'MB' | 'a second'
  /** The same by processor time, which other programs on the machine disturb less. */
  processor?: number
  goal?: { least: number } | { most: number }
  reached?: boolean
}

export type Measured = {
  turns: Turns
  passports: number
  growth: number
  memory?: { now: number; most: number }
  ready?: readonly number[]
  listed?: readonly number[]
  records?: RecordRates
}

const MILLION = 1_000_000

const TO_CONSTANT: Partial<Record<Read, number>> = {
  'by-id': 0.6,
  'by-wallet': 0.55,
  'not-modified': 0.7,
  credentials: 0.55,
  'first-page': 0.5,
  'middle-page': 0.5,
  'last-page': 0.5,
}
/** Whose constant answer a read is compared with, where it has none of its own. */
const CONSTANT_OF: Partial<Record<Read, Read>> = {
  'by-wallet': 'by-id',
  'middle-page': 'first-page',
  'last-page': 'first-page',
}
const TO_PEER = 3
const TO_LIKE: Partial<Record<Read, number>> = { rare: 20, common: 5 }
const TO_PGBENCH = 0.45

export function figuresOf(measured: Measured): Figure[] {
  const { turns, passports, growth } = measured
  const isLarge = passports > MILLION
  const reads = Object.keys(READS) as Read[]
  const rates = (name: string, side: string, read: Read, base: string, baseRead: Read, least?: number) => {
    const [ones, others] = [turns.of(side, read), turns.of(base, baseRead)]
    const ratio = ratioOf(ones, others, (one, other) => one.rate / other.rate)
    const processor = ratioOf(ones, others, (one, other) =>
      one.processor && other.processor ? other.processor / one.processor : undefined,
    )?.value
    return figure(name, 'times', ratio, least === undefined ? undefined : { least }, processor)
  }
  const found = [
    ...reads.map((read) =>
      rates(
        `${READS[read]}, to Bun's constant answer`,
        'ours',
        read,
        'constant',
        CONSTANT_OF[read] ?? read,
        TO_CONSTANT[read],
      ),
    ),
    figure(
      'last page, cost to that of the first',
      'times',
      ratioOf(
        turns.of('ours', 'last-page'),
        turns.of('ours', 'first-page'),
        (last, first) => first.rate / last.rate,
      ),
      { most: 1.3 },
    ),
    ...reads.map((read) => {
      const least = read === 'by-id' ? (isLarge ? 0.85 : 0.9) : undefined
      return rates(`${READS[read]}, to ${count(growth)} passports`, 'ours', read, 'fewer', read, least)
    }),
    ...KEYWORD_READS.map((read) => {
      const times = ratioOf(
        turns.of('ours, alone', read),
        turns.of('LIKE on SQLite', read),
        (ours, like) => like.mean / ours.mean,
      )
      const least = TO_LIKE[read]
      return figure(`${READS[read]}, to plain LIKE`, 'times', times, least ? { least } : undefined)
    }),
    ...keywordFigures(turns),
    ...reads.map((read) => rates(`${READS[read]}, to the peer`, 'ours', read, 'peer', read, TO_PEER)),
    rates('by id on PostgreSQL, to pgbench', 'ours on PostgreSQL', 'by-id', 'pgbench', 'by-id', TO_PGBENCH),
    ...processFigures(measured, isLarge ? 400 : 200),
    ...recordFigures(measured.records),
  ]
  return found.filter((one) => one !== undefined)
}

function keywordFigures(turns: Turns) {
  const toOne = (side: string) =>
    ratioOf(turns.of(side, 'mixed'), turns.of(side, 'by-id'), (mixed, one) => mixed.p99 / one.mean)
  const busy = ratioOf(
    turns.of('ours, keywords meanwhile', 'by-id'),
    turns.of('ours', 'by-id'),
    (meanwhile, one) => meanwhile.p99 / one.p99,
  )
  return [
    figure('p99 of mixed keywords, to the mean by id', 'times', toOne('ours'), { most: 15 }),
    figure('the same with one connection', 'times', toOne('ours, alone')),
    figure('p99 by id while keywords run, to that without', 'times', busy, { most: 2 }),
  ]
}

function processFigures({ memory, ready, listed }: Measured, megabytes: number) {
  const one = (value: number | undefined) => (value === undefined ? undefined : spreadOf([value]))
  return [
    figure('memory after the load', 'MB', one(memory?.now)),
    figure('memory at most', 'MB', one(memory?.most), { most: megabytes }),
    figure('start to ready', 'ms', ready && spreadOf(ready), { most: 1000 }),
    figure('start to the first page of the list', 'ms', listed && spreadOf(listed)),
  ]
}

function recordFigures(records: RecordRates | undefined) {
  return Object.entries(records ?? {}).flatMap(([what, { ours, bare }]) => [
    figure(`${what}`, 'a second', spreadOf(ours)),
    figure(
      `${what}, to a bare loop`,
      'times',
      spreadOf(ours.map((rate, at) => rate / (bare[at] ?? median(bare)))),
    ),
  ])
}

function figure(
  name: string,
  unit: Figure['unit'],
  spread: Spread | undefined,
  goal?: Figure['goal'],
  processor?: number,
): Figure | undefined {
  if (!spread) return undefined
  const reached = goal && ('least' in goal ? spread.value >= goal.least : spread.value <= goal.most)
  return {
    name,
    unit,
    ...spread,
    ...(processor !== undefined && { processor }),
    ...(goal && { goal }),
    ...(reached !== undefined && { reached }),
  }
}

const count = (number: number) => number.toLocaleString('en')
