/** Reports a failed check. */
export type Fail = (message: string) => void

/** A fault or a load that is repeated; no repetition may break a guarantee. */
export type Scenario = {
  name: string
  /** Names the repeated event in the table of results. */
  title: string
  /** The repetitions in `npm run stress`, and with `--short`. A single repetition also uses less data and time. */
  long: number
  short: number
  /** The short form takes more than a minute, so `--short` includes it only together with `--only`. */
  isSlow?: true
  /**
   * `exceed` reports a limit of time or memory that was exceeded. The short form only prints it, because it must pass beside
   * other work on a slow machine.
   */
  run(times: number, fail: Fail, exceed: Fail): Promise<Result>
}

/** `count` is the number of completed repetitions. */
export type Result = { count: number; note?: string }

export type Outcome = Result & { failures: number }

const LONGEST_MESSAGE = 500

export async function runScenario(
  scenario: Scenario,
  times: number,
  { report, isShort }: { report: Fail; isShort: boolean },
): Promise<Outcome> {
  let failures = 0
  const fail = (message: string) => {
    failures++
    if (failures <= 20) report(message.slice(0, LONGEST_MESSAGE))
  }
  const result = await scenario.run(times, fail, isShort ? report : fail)
  return { ...result, failures }
}

/** Runs `verify` and reports the error that it throws. */
export async function check(fail: Fail, when: string, verify: () => unknown): Promise<void> {
  try {
    await verify()
  } catch (error) {
    fail(`${when}: ${(error as Error).message}`)
  }
}
