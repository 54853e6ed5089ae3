import type { Credential } from '../credential.ts'
import type { RawValue } from '../data-point.ts'
import { parseInstant } from '../text/instant.ts'

export type RawKind = 'number' | 'date'

/** Display texts that mean true. */
const YES = /^(verified|yes|true|active|member|claimed|completed|connected|owned)$/i

const DATE = /\d{4}-\d\d-\d\d/

/** Parses the display text of a credential: "3 contracts" is 3, "Verified" is true. */
export function readRawValue({ value, earnedAt }: Credential, kind: RawKind): RawValue | undefined {
  if (kind === 'date') {
    const date = parseInstant(DATE.exec(value)?.[0] ?? '') ?? earnedAt
    return date === undefined ? undefined : { kind: 'date', amount: date }
  }
  const numbers = value.replace(DATE, '').match(/-?\d[\d,]*(?:\.\d+)?/g)
  const last = numbers?.at(-1)
  if (last !== undefined) return { kind: 'number', amount: Number(last.replaceAll(',', '')) }
  return YES.test(value.trim()) ? { kind: 'flag', amount: 1 } : undefined
}
