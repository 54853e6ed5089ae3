import type { DatedPlan } from '../domain/retirement.ts'
import script from './assets/reference.client.js' with { type: 'text' }
import style from './assets/reference.css' with { type: 'text' }
import { file } from './page.ts'
import type { ReferenceDocument } from './reference-document.ts'
import { renderReference } from './reference-page.ts'

/** The page loads its own two files and calls its own API: nothing else. */
const POLICY = ["script-src 'self'", "style-src 'self'", "connect-src 'self'"]

/** The reference page and its parts, by path. The page follows the plan. */
export function createReference(document: ReferenceDocument, plan: () => DatedPlan) {
  let rendered: { dates: string; page: ReturnType<typeof file> } | undefined
  const reference = () => {
    const { deprecatedAt, sunsetAt } = plan()
    const dates = `${deprecatedAt} ${sunsetAt}`
    if (rendered?.dates !== dates) {
      rendered = { dates, page: file('text/html', renderReference(document, plan()), POLICY) }
    }
    return rendered.page
  }
  return {
    '/': reference,
    '/reference': reference,
    '/reference.css': file('text/css', style, POLICY),
    '/reference.js': file('text/javascript', script, POLICY),
  }
}
