import { answerLike } from './answers.ts'
import type { Goal } from './figures.ts'
import { KEYWORD_READS, READS, type Read } from './reads.ts'
import type { Turn } from './turns.ts'

/** Two subjects that say more together; by their rates, unless it says how. */
export type Comparison = {
  name: string
  of: Place
  to: Place
  by?: (of: Turn, to: Turn) => number
  goal?: Goal | undefined
}

type Place = readonly [side: string, read: string]

const MILLION = 1_000_000

const TO_CONSTANT: Partial<Record<Read, number>> = {
  'by-id': 0.6,
  'by-wallet': 0.55,
  'not-modified': 0.7,
  credentials: 0.55,
  'first-page': 0.5,
  'middle-page': 0.5,
  'last-page': 0.5,
  'any-page': 0.5,
}

const TO_LIKE: Partial<Record<Read, number>> = { rare: 20, common: 5 }

const ALL = Object.keys(READS) as Read[]

export function comparisonsOf(passports: number, growth: number): Comparison[] {
  const toFewer = passports > MILLION ? 0.85 : 0.9
  return [
    ...ALL.map((read) => ({
      name: `${READS[read]}, to Bun's constant answer`,
      of: ['ours', read] as const,
      to: ['constant', answerLike(read) ?? read] as const,
      goal: atLeast(TO_CONSTANT[read]),
    })),
    {
      name: 'last page, cost to that of the first',
      of: ['ours', 'first-page'],
      to: ['ours', 'last-page'],
      goal: { most: 1.3 },
    },
    ...ALL.map((read) => ({
      name: `${READS[read]}, to ${growth.toLocaleString('en')} passports`,
      of: ['ours', read] as const,
      to: ['fewer', read] as const,
      goal: atLeast(read === 'by-id' ? toFewer : undefined),
    })),
    ...KEYWORD_READS.map((read) => ({
      name: `${READS[read]}, alone, to LIKE on SQLite`,
      of: ['ours, alone', read] as const,
      to: ['LIKE on SQLite', read] as const,
      goal: atLeast(TO_LIKE[read]),
    })),
    ...KEYWORD_READS.map((read) => ({
      name: `${READS[read]}, alone, to LIKE of the peer`,
      of: ['ours, alone', read] as const,
      to: ['peer, alone', read] as const,
    })),
    ...LATENCIES,
    ...ALL.map((read) => ({
      name: `${READS[read]}, to the peer`,
      of: ['ours', read] as const,
      to: ['peer', read] as const,
      goal: { least: 3 },
    })),
    {
      name: 'by id on PostgreSQL, to pgbench',
      of: ['ours on PostgreSQL', 'by-id'],
      to: ['pgbench', 'by-id'],
      goal: { least: 0.45 },
    },
  ]
}

const LATENCIES: Comparison[] = [
  {
    name: 'p99 of mixed keywords, to the mean by id',
    of: ['ours', 'mixed'],
    to: ['ours', 'by-id'],
    by: (mixed, byId) => mixed.p99 / byId.mean,
    goal: { most: 15 },
  },
  {
    name: 'p99 of mixed keywords, alone, to the mean by id, alone',
    of: ['ours, alone', 'mixed'],
    to: ['ours, alone', 'by-id'],
    by: (mixed, byId) => mixed.p99 / byId.mean,
  },
  {
    name: 'p99 by id while keywords run, to that without',
    of: ['ours, keywords meanwhile', 'by-id'],
    to: ['ours', 'by-id'],
    by: (meanwhile, byId) => meanwhile.p99 / byId.p99,
    goal: { most: 2 },
  },
]

const atLeast = (least: number | undefined) => (least === undefined ? undefined : { least })
