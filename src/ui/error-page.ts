import type { ErrorHandling } from '../core/http/response.ts'
import { withoutCaching } from './assets-and-csp.ts'
import { type Html, html } from './html.ts'
import { renderSearch, respondPage } from './layout.ts'
import type { Site } from './site.ts'

export const createErrorPage =
  (site: Site): NonNullable<ErrorHandling['errorPage']> =>
  (status, { code, message }, requestId, path) => {
    const [, passport] = /^\/passports\/([^/]+)(?:\/(?:score|credentials))?\/?$/.exec(path) ?? []
    const key = status === 404 && passport ? 'no_passport' : code
    const { title, words, help }: ErrorText = KNOWN[key] ?? KNOWN[status] ?? { title: 'The request failed' }
    const incident = status >= 500 && html`<p class="soft">Request id: <code>${requestId}</code></p>`
    const main = html`<div class="cover"><p class="above">${status}</p>
<h1>${title}</h1>
<p class="lead">${words ?? message}</p>
${key === 'no_passport' ? renderSearch(passport) : (help ?? incident)}
<p><a href="/">All passports by score</a></p></div>`
    return withoutCaching(respondPage({ site, title, description: message, main }, status))
  }

/** The page shows `words`, or else the message of the error. */
type ErrorText = { title: string; words?: string; help?: Html }

const KNOWN: Record<string, ErrorText> = {
  400: { title: 'Invalid address', help: renderSearch() },
  404: {
    title: 'Page not found',
    words: 'There is no page with this address. It may have a typing error.',
    help: renderSearch(),
  },
  429: {
    title: 'Too many requests',
    help: html`<p>Your network address requested many pages in a short time. Wait, then reload this page.</p>`,
  },
  500: {
    title: 'Internal error',
    words: 'This site failed, not your request. Reload the page, or send the request id to its operator.',
  },
  503: {
    title: 'Temporarily unavailable',
    words: 'This site cannot respond right now. Reload the page in a minute.',
  },
  not_ready: {
    title: 'This page is not ready yet',
    help: html`<p><a class="button" href="">Try again</a></p>`,
  },
  no_passport: {
    title: 'Passport not found',
    words: 'No passport has this number or wallet. It may have been removed, or it has a typing error.',
  },
}
