import { waitUntilIdle } from './process-stats.ts'
import type { Loads } from './read-loads.ts'
import type { Measurement, Sample } from './rounds.ts'
import type { Server } from './servers.ts'
import { type Load, runWrk } from './wrk.ts'

/** No round sends more requests. Round n begins at request n times this number, and so reads other passports. */
const REQUESTS_PER_ROUND = 1_000_000

export function measurementOf(
  side: string,
  read: string,
  { url, cpuSeconds }: Server,
  load: Load,
): Measurement {
  return {
    side,
    read,
    async run(seconds, round) {
      const before = cpuSeconds()
      const loaded = await runWrk(url, load, seconds, round * REQUESTS_PER_ROUND)
      const cpu = loaded.requests === 0 ? Number.NaN : ((cpuSeconds() - before) * 1e6) / loaded.requests
      await waitUntilIdle(cpuSeconds)
      return { ...loaded, cpu }
    },
  }
}

/** The searches start this long before the measured load, and end this long after it. */
const LEAD_SECONDS = 1

/** Measures the paced load by id without searches and during searches, and the rate of the searches. */
export function searchMeasurements(server: Server, loads: Loads): Measurement[] {
  const { url, cpuSeconds } = server
  const paced = loads['by-id-paced']
  let searched: Sample | undefined
  let searches = 0
  return [
    measurementOf('ours', 'by-id-paced', server, paced),
    {
      side: 'ours, during searches',
      read: 'by-id-paced',
      async run(seconds, round) {
        // Each round continues the list of keywords where the last round ended, because recent keywords are cached.
        const searching = runWrk(url, loads.keywords, seconds + 2 * LEAD_SECONDS, searches)
        await Bun.sleep(LEAD_SECONDS * 1000)
        const loaded = await runWrk(url, paced, seconds, round * REQUESTS_PER_ROUND)
        searched = await searching
        searches += searched.requests + loads.keywords.connections
        await waitUntilIdle(cpuSeconds)
        return loaded
      },
    },
    {
      side: 'ours',
      read: 'keywords',
      // The previous subject measures the searches.
      run: async () => searched ?? { requests: 0, rate: Number.NaN, p99: Number.NaN },
    },
  ]
}
