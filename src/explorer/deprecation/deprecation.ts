import { type Page, pageRoute } from '../../api/page.ts'
import type { Route } from '../../api/request.ts'
import type { DatedPlan } from '../../domain/retirement.ts'
import { file, POLICY } from '../page.ts'
import { renderDeprecation } from './deprecation-page.ts'

type Options = {
  plan: () => DatedPlan
  now: () => number
  /** Whether there are pages that show passports. */
  explorer: boolean
}

/** The page that the `Link` header of every V1 response leads to. It follows the plan and the clock, and has no script. */
export function createDeprecation({ plan, now, explorer }: Options): Route {
  let page: Page | undefined
  return pageRoute('/deprecation', () => {
    const body = renderDeprecation(plan(), now(), explorer)
    if (page?.body !== body) page = file('text/html', body, POLICY.deprecation)
    return page
  })
}
