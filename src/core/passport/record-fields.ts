import { parseInstant } from '../basics/text/instant.ts'
import { quote } from '../basics/text/quote.ts'
import { parseWallet } from './passport.ts'
import type { Problem } from './validation-problem.ts'

/** `problem` is the first of the problems. */
export class RecordError extends Error {
  readonly problem: Problem
  readonly problems: readonly Problem[]

  constructor(field: string, reason: string, others: readonly Problem[] = []) {
    super(`${field} ${reason}`)
    this.name = 'RecordError'
    this.problem = { field, reason }
    this.problems = [this.problem, ...others]
  }
}

/** Replaces unpaired surrogates, which UTF-8 cannot encode, and NUL, which PostgreSQL cannot store. */
export const cleanText = (value: string | number | null | undefined): string =>
  String(value ?? '')
    .toWellFormed()
    .replaceAll('\0', '\ufffd')

export function instant(field: string, value: string | number | null | undefined): number | undefined {
  if (value == null || value === '') return undefined
  const time = parseInstant(String(value))
  if (time !== undefined) return time
  throw new RecordError(
    field,
    `must be a date such as 2024-09-27 or 2024-09-27T09:18:56Z, got ${quote(value)}`,
  )
}

export function wallet(field: string, value: string | number | null | undefined): string | undefined {
  const address = cleanText(value).trim()
  if (address === '') return undefined
  const parsed = parseWallet(address)
  if (parsed === undefined) throw new RecordError(field, `is too long for a wallet: ${quote(address)}`)
  return parsed
}
