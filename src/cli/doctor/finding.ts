/** The result of one check. The text of a warning or problem says what to do. */
export type Finding = { level: 'ok' | 'warning' | 'problem'; about: string; text: string }

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warning = (about: string, text: string): Finding => ({ level: 'warning', about, text })
export const problem = (about: string, text: string): Finding => ({ level: 'problem', about, text })

/** Turns a failed check into a problem: a server that is unavailable, a file that is invalid. */
export async function orProblem(about: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    return [problem(about, (error as Error).message)]
  }
}
