import type { DatedPlan } from '../../domain/retirement.ts'
import { file } from '../page.ts'
import { renderDeprecation } from './deprecation-page.ts'

/** The page that the `Link` header of every V1 answer leads to. It follows the plan, and has no script. */
export const createDeprecation = ({ plan, now, explorer }: Options) => ({
  '/deprecation': () => file('text/html', renderDeprecation(plan(), now(), explorer), ["style-src 'self'"]),
})

type Options = {
  plan: () => DatedPlan
  now: () => number
  /** Whether there are pages that show passports. */
  explorer: boolean
}
