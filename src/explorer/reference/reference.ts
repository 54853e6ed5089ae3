import { type DatedPlan, phaseAt } from '../../domain/retirement.ts'
import script from '../assets/reference.client.js' with { type: 'text' }
import { STYLE } from '../layout.ts'
import { file } from '../page.ts'
import type { ReferenceDocument } from './reference-document.ts'
import { renderReference } from './reference-page.ts'

/** The page loads its own two files and calls its own API: nothing else. */
const POLICY = ["script-src 'self'", "style-src 'self'", "connect-src 'self'"]

type Options = {
  plan: () => DatedPlan
  now: () => number
  /** Whether there are pages that show passports. */
  explorer: boolean
}

/** The reference page and its parts, by path. The page follows the plan. */
export function createReference(document: ReferenceDocument, { plan, now, explorer }: Options) {
  let rendered: { state: string; page: ReturnType<typeof file> } | undefined
  const reference = () => {
    const { deprecatedAt, sunsetAt } = plan()
    const phase = phaseAt(plan(), now())
    const state = `${deprecatedAt} ${sunsetAt} ${phase}`
    if (rendered?.state !== state) {
      const page = renderReference(document, { plan: plan(), phase, explorer })
      rendered = { state, page: file('text/html', page, POLICY) }
    }
    return rendered.page
  }
  return {
    '/reference': reference,
    '/style.css': STYLE,
    '/reference.js': file('text/javascript', script, POLICY),
  }
}
