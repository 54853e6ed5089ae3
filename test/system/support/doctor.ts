import type { CheckResult } from '../../../src/core/cli/check-result.ts'
import { callHere } from '../../support/cli-in-process.ts'
import type { workplace } from '../../support/cli-sandbox.ts'
import { ada, PEOPLE } from '../../support/store/records.ts'

export type Place = Awaited<ReturnType<typeof workplace>>

/** Runs `doctor`. `amiss` are the findings that are not ok. */
export async function examine(
  { env }: Pick<Place, 'env'>,
  more: Record<string, string> = {},
  ...args: string[]
) {
  const { code, out, err } = await callHere(['doctor', '--json', ...args], { env: { ...env, ...more } })
  const { status, findings } = JSON.parse(out) as { status: string; findings: CheckResult[] }
  const amiss = findings.filter(({ level }) => level !== 'ok').map(({ level, about }) => `${level}: ${about}`)
  const text = (about: string) =>
    findings
      .filter((each) => each.about === about)
      .map((each) => each.text)
      .join(' ')
  return { code, err, status, amiss, text }
}

/** Records without a stale score. */
export const calm = [...PEOPLE, { ...ada, stale: false }]
