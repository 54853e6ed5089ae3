import type { Passport } from '../domain/passport.ts'
import { presentListedPassport } from '../domain/record/present.ts'
import { sanitize } from './format.ts'
import type { PassportSummary } from './result-schemas.ts'
import type { ToolContext } from './tool.ts'

export function summaryOf(
  passport: Passport,
  { publicUrl, explorer }: ToolContext['config'],
): PassportSummary {
  const api = `${publicUrl ?? ''}/api/v1/passports/${passport.id}`
  const page = publicUrl !== undefined && explorer ? `${publicUrl}/passports/${passport.id}` : undefined
  const { passport_id, score, calculating_score, last_calculated_at } = presentListedPassport(passport)
  return {
    passport_id,
    name: sanitize(passport.profile.displayName, 100),
    score,
    calculating_score,
    last_calculated_at,
    links: { api, ...(page !== undefined && { page }) },
  }
}
