import type { Load } from '../load.ts'
import { CONNECTIONS, type Loaded, median, wrk } from '../measure.ts'
import { settle } from '../process-figures.ts'

/** What came of one turn. */
export type Turn = Loaded & {
  /** Microseconds of processor time that the server spent on each request, where it is known. */
  processor?: number
}

/** Something that is measured again and again. */
export type Subject = {
  /** Who is measured, and at what: together they name the subject. */
  side: string
  read: string
  /** `from` is how many requests it has had in the turns before. */
  turn(seconds: number, from: number): Promise<Turn>
}

type Server = {
  url: string
  load: Load
  connections?: number | undefined
  /** Seconds of processor time so far. */
  spent: () => number
}

/** Loads a server. Where nothing is answered within a turn, it takes as long as it must. */
export function loaded(side: string, read: string, { url, load, connections, spent }: Server): Subject {
  return {
    side,
    read,
    async turn(seconds, from) {
      for (let longer = 1; ; longer *= 2) {
        const before = spent()
        const turn = await wrk(url, { load, connections, from, seconds: seconds * longer })
        const processor = ((spent() - before) * 1e6) / turn.requests
        await settle(spent)
        if (turn.requests > 0 || longer > LONGEST) return { ...turn, processor }
      }
    },
  }
}

const LONGEST = 16

export type Turns = {
  add(subject: Subject, turn: Turn): void
  of(side: string, read: string): readonly Turn[]
  all(): { side: string; read: string; turns: readonly Turn[] }[]
}

/** Gives each subject a turn in each round. The first round warms up and does not count. */
export async function takeTurns(
  subjects: readonly Subject[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Turns> {
  const turns = createTurns()
  const before = new Map<Subject, number>()
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? 'Warming up' : `Round ${round} of ${rounds}`)
    for (const subject of subjects) {
      const from = before.get(subject) ?? 0
      const turn = await subject.turn(seconds, from)
      // With those that were under way when the turn ended.
      before.set(subject, from + turn.requests + CONNECTIONS)
      if (round > 0) turns.add(subject, turn)
    }
  }
  return turns
}

function createTurns(): Turns {
  const known = new Map<string, { side: string; read: string; turns: Turn[] }>()
  return {
    add({ side, read }, turn) {
      const name = `${side}/${read}`
      const entry = known.get(name) ?? { side, read, turns: [] }
      entry.turns.push(turn)
      known.set(name, entry)
    },
    of: (side, read) => known.get(`${side}/${read}`)?.turns ?? [],
    all: () => [...known.values()],
  }
}

export type Spread = { value: number; low: number; high: number }

export function spreadOf(numbers: readonly number[]): Spread {
  return { value: median(numbers), low: Math.min(...numbers), high: Math.max(...numbers) }
}
