import type { LoadResult } from './wrk.ts'

/** One run of a load. `cpu` is the CPU time of the server per request, in microseconds. */
export type Sample = LoadResult & { cpu?: number }

/** A measurement that runs once in each round. */
export type Measurement = {
  side: string
  read: string
  run: (seconds: number, round: number) => Promise<Sample>
}

/** The samples of one subject, one for each round. */
export type Series = { side: string; read: string; samples: Sample[] }

/** The runtime compiles functions during the first seconds of load. */
const WARM_UP_SECONDS = 6

/** Runs every subject once in each round. The first round is a warm-up and does not count. */
export async function runRounds(
  measurements: readonly Measurement[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Series[]> {
  const series = measurements.map(({ side, read }): Series => ({ side, read, samples: [] }))
  for (let round = 0; round <= rounds; round++) {
    console.error(round === 0 ? 'Warm-up round' : `Round ${round} of ${rounds}`)
    for (const [index, subject] of measurements.entries()) {
      const sample = await subject.run(round === 0 ? WARM_UP_SECONDS : seconds, round)
      if (round > 0) series[index]?.samples.push(sample)
    }
  }
  return series
}
