import type { ErrorResponse } from '../../api/errors.ts'
import { previewRetirement } from '../../api/retirement.ts'
import { datePlan } from '../../domain/retirement.ts'
import { formatInstant, parseInstant } from '../../domain/text/instant.ts'
import { invalidValue } from '../command.ts'
import type { RetireAction } from './retire-task.ts'

/** No key has these ids: real ids are hexadecimal. */
const ORDINARY = 'ordinary'
const EXEMPT = 'exempt'

/** Prints the responses that clients would get at a time; the server's own code makes them. */
export const previewResponses: RetireAction = ({ args: [text = ''] }) => {
  const now = parseInstant(text)
  if (now === undefined) throw invalidValue('DATE must be a day or a time such as 2026-12-01T09:30Z', text)
  return ({ plan: found, terminal, deprecatedAt, requireKey }) => {
    const plan = datePlan({ ...found, exempt: [...found.exempt, EXEMPT] }, deprecatedAt)
    const preview = (key: string | undefined) => describe(previewRetirement(plan, { now, key, requireKey }))
    terminal.out(`V1 at ${formatInstant(now)}

An ordinary key
${preview(ORDINARY)}
An exempt key${found.exempt.length === 0 ? ' (the plan has none)' : ''}
${preview(EXEMPT)}
No key
${preview(undefined)}`)
  }
}

function describe({ status, headers, body }: ErrorResponse): string {
  const fields = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`)
  return `  ${status}\n${fields.join('')}\n  ${body || '(the usual response)'}\n`
}
