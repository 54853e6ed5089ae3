/** The text of a warning or problem says what to do. */
export type CheckResult = { level: 'ok' | 'warning' | 'problem'; about: string; text: string }

export const ok = (about: string, text: string): CheckResult => ({ level: 'ok', about, text })
export const warning = (about: string, text: string): CheckResult => ({ level: 'warning', about, text })
export const problem = (about: string, text: string): CheckResult => ({ level: 'problem', about, text })
