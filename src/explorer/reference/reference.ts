import { type Page, pageRoute } from '../../api/page.ts'
import type { Route } from '../../api/request.ts'
import { type DatedPlan, phaseAt } from '../../domain/retirement.ts'
import script from '../assets/reference.client.js' with { type: 'text' }
import { STYLE } from '../layout.ts'
import { file, POLICY } from '../page.ts'
import type { ReferenceDocument } from './reference-document.ts'
import { renderReference } from './reference-page.ts'

type Options = {
  plan: () => DatedPlan
  now: () => number
  /** Whether there are pages that show passports. */
  explorer: boolean
}

/** The reference page and its files. The page follows the plan; without the explorer it is the start page. */
export function createReference(document: ReferenceDocument, { plan, now, explorer }: Options): Route[] {
  let rendered: { state: string; page: Page } | undefined
  const reference = () => {
    const { deprecatedAt, sunsetAt } = plan()
    const phase = phaseAt(plan(), now())
    const state = `${deprecatedAt} ${sunsetAt} ${phase}`
    if (rendered?.state !== state) {
      const page = renderReference(document, { plan: plan(), phase, explorer })
      rendered = { state, page: file('text/html', page, POLICY.reference) }
    }
    return rendered.page
  }
  return [
    pageRoute('/reference', reference),
    pageRoute('/style.css', () => STYLE),
    pageRoute('/reference.js', () => SCRIPT),
    ...(explorer ? [] : [pageRoute('/', reference)]),
  ]
}

const SCRIPT = file('text/javascript', script, POLICY.reference)
