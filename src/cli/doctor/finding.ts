/** What `doctor` found of one thing, in words that say what to do where anything is to be done. */
export type Finding = { level: 'ok' | 'warning' | 'problem'; about: string; text: string }

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warning = (about: string, text: string): Finding => ({ level: 'warning', about, text })
export const problem = (about: string, text: string): Finding => ({ level: 'problem', about, text })

/** What is said in a sentence: a service that cannot be reached, a file that will not do. */
export async function orProblem(about: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [problem(about, (error as Error).message)]
  }
}
