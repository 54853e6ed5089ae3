import { isOfMinimal, LOOKUP_KEYS, READ_NAMES, READS, type Read } from './read-loads.ts'
import type { Sample, Series } from './rounds.ts'

type Goal = { least: number } | { most: number }

/** A figure over all rounds: median, minimum and maximum. */
export type Figure = {
  name: string
  unit: '' | 'MB' | 'µs' | 'a second' | 'a second of CPU' | 'bytes'
  value: number
  low: number
  high: number
  goal?: Goal
  reached?: boolean
  /** Rounds that have no value, because a load got no response. */
  missing?: number
}

type Input = { series: readonly Series[]; fewer: number; megabytes: number; passports: number }

const PAGES: readonly Read[] = ['first-page', 'middle-page', 'last-page', 'random-page']

/** Reading and setting headers takes a larger part of the time on arm64. */
const MOST_BY_ID = process.arch === 'arm64' ? 1.5 : 1.35

const cpu = (sample: Sample) => sample.cpu ?? Number.NaN

export function figuresOf({ series, fewer, megabytes, passports }: Input): Figure[] {
  const samplesOf = (side: string, read: string) =>
    series.find((one) => one.side === side && one.read === read)?.samples ?? []

  /** Compares samples of the same round, because the speed of the machine varies between rounds. */
  function ratio(
    name: string,
    of: SeriesKey,
    to: SeriesKey,
    value: (sample: Sample) => number,
    goal?: Goal,
    scale = 1,
  ): Figure[] {
    const [ones, others] = [samplesOf(...of), samplesOf(...to)]
    const ratios = ones.map((one, round) => (value(one) / value(others[round] ?? one)) * scale)
    return ones.length === 0 || others.length === 0 ? [] : [figureOf(name, '', ratios, goal)]
  }

  const rates = samplesOf('ours', 'keywords').map(({ rate }) => rate)
  return [
    ...READS.filter(isOfMinimal).flatMap((read) =>
      ratio(`${READ_NAMES[read]}: CPU, ours / minimal`, ['ours', read], ['minimal', read], cpu, {
        most: PAGES.includes(read) ? 1.5 : MOST_BY_ID,
      }),
    ),
    ...ratio('last page / first page: CPU', ['ours', 'last-page'], ['ours', 'first-page'], cpu, {
      most: 1.2,
    }),
    ...ratio(
      `by id: requests per CPU second, ${count(passports)} / ${count(fewer)} passports`,
      ['fewer', 'by-id'],
      ['ours', 'by-id'],
      cpu,
      { least: 0.85 },
    ),
    ...ratio('v3 by id / V1 by id: CPU', ['ours', 'v3-by-id'], ['ours', 'by-id'], cpu, { most: 1.4 }),
    ...(['ranking-page', 'passport-page', 'badge'] as const).flatMap((read) =>
      ratio(`${READ_NAMES[read]} / V1 by id: CPU`, ['ours', read], ['ours', 'by-id'], cpu),
    ),
    ...ratio('by id with TLS / without: CPU', ['TLS', 'by-id'], ['ours', 'by-id'], cpu),
    ...ratio(
      `by id on PostgreSQL, with its CPU / on SQLite: CPU, ${count(fewer)} passports`,
      ['PostgreSQL', 'by-id'],
      ['fewer', 'by-id'],
      cpu,
    ),
    ...ratio(
      'v3 lookup / v3 by id: CPU for each passport',
      ['ours', 'lookup'],
      ['ours', 'v3-by-id'],
      cpu,
      { most: 0.6 },
      1 / LOOKUP_KEYS,
    ),
    ...(rates.length > 0
      ? [figureOf('keywords, three and more characters', 'a second', rates, { least: 300 })]
      : []),
    ...ratio(
      'by id: p99 during searches / without',
      ['ours, during searches', 'by-id-paced'],
      ['ours', 'by-id-paced'],
      ({ p99 }) => p99,
      { most: 2 },
    ),
    figureOf('resident memory without mapped files, 15 s after the loads', 'MB', [megabytes], { most: 250 }),
  ]
}

type SeriesKey = readonly [side: string, read: string]

export function figureOf(name: string, unit: Figure['unit'], values: readonly number[], goal?: Goal): Figure {
  const missing = values.filter(Number.isNaN).length
  const figure = { name, unit, ...spreadOf(values), ...(missing > 0 && { missing }) }
  if (!goal) return figure
  const reached = 'least' in goal ? figure.value >= goal.least : figure.value <= goal.most
  return { ...figure, goal, reached }
}

export function spreadOf(values: readonly number[]): { value: number; low: number; high: number } {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((one, other) => one - other)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return { value: at(Math.floor((sorted.length - 1) / 2)), low: at(0), high: at(sorted.length - 1) }
}

const count = (number: number) => number.toLocaleString('en')
