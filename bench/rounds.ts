import { settle } from './process-stats.ts'
import type { Loads } from './reads.ts'
import type { Server } from './servers.ts'
import { type Load, type Loaded, runWrk } from './wrk.ts'

/** One run of a load. `cpu` is microseconds of CPU time of the server for each request. */
export type Sample = Loaded & { cpu?: number }

/** Something that is measured once in each round. */
export type Subject = { side: string; read: string; run: (seconds: number, round: number) => Promise<Sample> }

/** All samples of one subject, one for each round. */
export type Series = { side: string; read: string; samples: Sample[] }

/** More requests than a round makes: each round asks for others. */
const REQUESTS_A_ROUND = 1_000_000

/** Runs every subject once in each round. The first round warms up and is dropped. */
export async function runRounds(
  subjects: readonly Subject[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Series[]> {
  const series = subjects.map(({ side, read }): Series => ({ side, read, samples: [] }))
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? 'Warm-up round' : `Round ${round} of ${rounds}`)
    for (const [index, subject] of subjects.entries()) {
      const sample = await subject.run(seconds, round)
      if (round > 0) series[index]?.samples.push(sample)
    }
  }
  return series
}

export function subjectOf(side: string, read: string, { url, spent }: Server, load: Load): Subject {
  return {
    side,
    read,
    async run(seconds, round) {
      const before = spent()
      const loaded = await runWrk(url, load, seconds, round * REQUESTS_A_ROUND)
      const cpu = ((spent() - before) * 1e6) / loaded.requests
      await settle(spent)
      return { ...loaded, cpu }
    },
  }
}

/** Starts before the load it accompanies, and ends after it. */
const LEAD_SECONDS = 1

/** The paced load by id alone, the same while keywords are searched, and the rate of the keywords. */
export function searchSubjects(server: Server, loads: Loads): Subject[] {
  const { url, spent } = server
  const paced = loads['by-id-paced']
  let searched: Sample | undefined
  let searches = 0
  return [
    subjectOf('ours', 'by-id-paced', server, paced),
    {
      side: 'ours, during searches',
      read: 'by-id-paced',
      async run(seconds, round) {
        // Each round continues in the list: recent keywords are cached.
        const searching = runWrk(url, loads.keywords, seconds + 2 * LEAD_SECONDS, searches)
        await Bun.sleep(LEAD_SECONDS * 1000)
        const loaded = await runWrk(url, paced, seconds, round * REQUESTS_A_ROUND)
        searched = await searching
        searches += searched.requests + loads.keywords.connections
        await settle(spent)
        return loaded
      },
    },
    {
      side: 'ours',
      read: 'keywords',
      // Measured by the subject before this one.
      run: async () => searched ?? { requests: 0, rate: Number.NaN, p99: Number.NaN },
    },
  ]
}
