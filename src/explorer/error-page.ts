import { type Html, html } from './html.ts'
import { renderLayout } from './layout.ts'
import { renderSearch } from './search-form.ts'

/** What a person sees where a page cannot be shown. */
export function renderErrorPage(status: number, message: string, requestId: string): string {
  const { title, words, help } = KNOWN[status] ?? REFUSED
  const main = html`<p class="status">${status}</p>
<h1>${title}</h1>
<p class="lead">${words ?? message}</p>
${status < 500 ? (help ?? html``) : html`<p class="soft">The request is in the log as <code>${requestId}</code></p>`}
<p><a href="/">All passports by score</a></p>`
  return renderLayout({ title, description: message, main })
}

/** Without words of its own, it says the sentence of the error. */
type Words = { title: string; words?: string; help?: Html }

const KNOWN: Record<number, Words> = {
  400: { title: 'This address will not do', help: renderSearch('') },
  404: {
    title: 'There is nothing here',
    words:
      'What you looked for is not here. The passport may have been removed, or there is a slip in the address.',
    help: renderSearch(''),
  },
  429: {
    title: 'One moment, please',
    help: html`<p>Many pages were asked for from your address in a short time. Wait as long as it says, then load this page again.</p>`,
  },
  500: {
    title: 'Something went wrong on our side',
    words: 'This is not your fault. Try again; if it stays like this, tell the operator of this service.',
  },
  503: {
    title: 'Back in a moment',
    words: 'The service cannot reach its data right now. This is not your fault: try again shortly.',
  },
}

const REFUSED: Words = { title: 'This cannot be answered' }
