import type { ErrorResponse } from '../../api/errors.ts'
import { previewRetirement } from '../../api/retirement-preview.ts'
import { datePlan } from '../../domain/retirement.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { refuseExtra, wrongArgument } from '../args.ts'
import type { RetireTask } from './retire-options.ts'

/** Ids are hexadecimal: no key has these. */
const ORDINARY = 'ordinary'
const EXEMPT = 'exempt'

/** Prints what callers would see at an instant, made by what makes the answers of the server. */
export function prepareRehearse([text, ...rest]: string[]): RetireTask {
  refuseExtra('retire', rest)
  const now = text === undefined ? undefined : parseInstant(text)
  if (now === undefined) throw wrongArgument('Say for when, such as 2026-12-01T09:30Z', text)
  return ({ plan: found, terminal, deprecatedAt, requireKey }) => {
    const plan = datePlan({ ...found, exempt: [...found.exempt, EXEMPT] }, deprecatedAt)
    const see = (key: string | undefined) => describe(previewRetirement(plan, { now, key, requireKey }))
    terminal.out(`V1 at ${formatInstant(now)}

An ordinary key
${see(ORDINARY)}
An exempt key${found.exempt.length === 0 ? ' (there is none yet)' : ''}
${see(EXEMPT)}
No key
${see(undefined)}`)
  }
}

function describe({ status, headers, body }: ErrorResponse): string {
  const fields = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`)
  return `  ${status}\n${fields.join('')}\n  ${body || '(the answer as ever)'}\n`
}
