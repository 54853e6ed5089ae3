import { memoryOf } from '../process-figures.ts'
import { measureRecords } from '../record-rates.ts'
import type { Measured, Needs } from './figures.ts'
import type { Options } from './options.ts'
import { startSides } from './sides.ts'
import { timeStart } from './start.ts'
import { subjectsOf } from './subjects.ts'
import { takeTurns } from './turns.ts'

const STARTS = 5
const RECORDS = 20_000
const MOST_ROUNDS_OF_RECORDS = 3

/** Starts what is asked for, gives each subject its turns, and ends everything. */
export async function measure(options: Options): Promise<Measured> {
  const { passports, growth, parts, rounds } = options
  await using started = new AsyncDisposableStack()
  const sides = await startSides(started, options)
  const turns = await takeTurns(subjectsOf(options, sides), options)
  const nodes = [sides.ours, ...(sides.fewer ? [sides.fewer] : [])]
  const needs = parts.has('start') ? await inTurn(nodes, needsOf) : []
  const records = parts.has('records')
    ? await measureRecords(RECORDS, Math.min(rounds, MOST_ROUNDS_OF_RECORDS))
    : undefined
  const sizes = Object.entries(sides.answers).map(([read, { body }]) => [read, body.length] as const)
  return { passports, growth, turns, needs, records, sizes: Object.fromEntries(sizes) }
}

type Node = { address: string; passports: number; pid: number }

async function needsOf({ address, passports, pid }: Node): Promise<Needs> {
  const memory = memoryOf(pid)
  const starts = await inTurn(Array.from({ length: STARTS }), () => timeStart(address))
  return { passports, memory, starts }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}
