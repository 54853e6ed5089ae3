/** Reports a failed check. */
export type Fail = (message: string) => void

/** Something that must do no harm, repeated many times. */
export type Scenario = {
  name: string
  /** What is repeated, for the table. */
  title: string
  /** How many times: in `npm run stress`, and in the tests. */
  long: number
  short: number
  run(times: number, fail: Fail): Promise<Result>
}

/** How many times it was done. */
export type Result = { count: number; note?: string }

export type Outcome = Result & { failures: number }

const LONGEST_MESSAGE = 500

export async function runScenario(scenario: Scenario, times: number, report: Fail): Promise<Outcome> {
  let failures = 0
  const result = await scenario.run(times, (message) => {
    failures++
    if (failures <= 20) report(message.slice(0, LONGEST_MESSAGE))
  })
  return { ...result, failures }
}

/** Reports an error that `verify` throws. */
export async function check(fail: Fail, when: string, verify: () => unknown): Promise<void> {
  try {
    await verify()
  } catch (error) {
    fail(`${when}: ${(error as Error).message}`)
  }
}
