import script from './assets/reference.client.js' with { type: 'text' }
import style from './assets/reference.css' with { type: 'text' }
import type { ReferenceDocument } from './reference-document.ts'
import { renderReference } from './reference-page.ts'

/** The page loads its own two files and calls its own API: nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference page and its parts, by path. */
export function createReference(document: ReferenceDocument, deprecatedAt: number) {
  const reference = page('text/html; charset=utf-8', renderReference(document, deprecatedAt))
  return {
    '/': reference,
    '/reference': reference,
    '/reference.css': page('text/css; charset=utf-8', style),
    '/reference.js': page('text/javascript; charset=utf-8', script),
  }
}

const page = (type: string, body: string) => ({
  status: 200,
  headers: { 'Content-Type': type, 'Cache-Control': 'no-cache', 'Content-Security-Policy': POLICY },
  body,
})
