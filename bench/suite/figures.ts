import type { RecordRates } from '../record-rates.ts'
import { type Comparison, comparisonsOf } from './comparisons.ts'
import { type Spread, spreadOf, type Turn, type Turns } from './turns.ts'

export type Goal = { least: number } | { most: number }

/** A number that says something, and what it should be. */
export type Figure = Spread & {
  name: string
  unit: 'times' | 'ms' | 'MB' | 'a second'
  /** The same by processor time, which other programs on the machine disturb less. */
  processor?: number
  goal?: Goal
  reached?: boolean
}

/** What a server needs for itself. */
export type Needs = {
  passports: number
  /** Megabytes. */
  memory: { now: number; most: number }
  /** Milliseconds since its start, each time. */
  starts: readonly { ready: number; listed: number }[]
}

export type Measured = {
  passports: number
  growth: number
  turns: Turns
  needs: readonly Needs[]
  records: RecordRates | undefined
  /** Bytes of the answers that constant servers give. */
  sizes: Record<string, number>
}

export function figuresOf({ passports, growth, turns, needs, records }: Measured): Figure[] {
  return [
    ...comparisonsOf(passports, growth).flatMap((comparison) => compare(turns, comparison)),
    ...needs.flatMap((one) => needFigures(one)),
    ...Object.entries(records ?? {}).flatMap(([what, { ours, bare }]) => [
      figure({ name: `${what} of records`, unit: 'a second', ...spreadOf(ours) }),
      figure({
        name: `${what} of records, to a bare loop`,
        unit: 'times',
        ...spreadOf(ours.map((rate, at) => rate / (bare[at] as number))),
      }),
    ]),
  ]
}

/** Of neighbours in time: the machine may be slower in one round than in another. */
function compare(turns: Turns, { name, of, to, by, goal }: Comparison): Figure[] {
  const [ones, others] = [turns.of(...of), turns.of(...to)]
  if (ones.length === 0 || others.length === 0) return []
  const ratios = (ratio: (one: Turn, other: Turn) => number) =>
    spreadOf(ones.map((one, at) => ratio(one, others[at] as Turn)))
  const processor = ratios(
    (one, other) => (other.processor ?? Number.NaN) / (one.processor ?? Number.NaN),
  ).value
  const hasProcessor = !by && !Number.isNaN(processor)
  return [
    figure({
      name,
      unit: 'times',
      ...ratios(by ?? ((one, other) => one.rate / other.rate)),
      ...(hasProcessor && { processor }),
      ...(goal && { goal }),
    }),
  ]
}

const MILLION = 1_000_000
const MOST_MEGABYTES = { usual: 200, large: 400 }
const MOST_MILLISECONDS = 1000

function needFigures({ passports, memory, starts }: Needs): Figure[] {
  const megabytes = passports > MILLION ? MOST_MEGABYTES.large : MOST_MEGABYTES.usual
  const at = `with ${passports.toLocaleString('en')} passports`
  const ready = spreadOf(starts.map(({ ready }) => ready))
  const listed = spreadOf(starts.map(({ listed }) => listed))
  return [
    figure({ name: `memory after the load, ${at}`, unit: 'MB', ...spreadOf([memory.now]) }),
    figure({
      name: `memory at most, ${at}`,
      unit: 'MB',
      ...spreadOf([memory.most]),
      goal: { most: megabytes },
    }),
    figure({ name: `start to ready, ${at}`, unit: 'ms', ...ready, goal: { most: MOST_MILLISECONDS } }),
    figure({ name: `start to the first list, ${at}`, unit: 'ms', ...listed }),
  ]
}

function figure(one: Omit<Figure, 'reached'>): Figure {
  const { value, goal } = one
  if (!goal) return one
  return { ...one, reached: 'least' in goal ? value >= goal.least : value <= goal.most }
}
