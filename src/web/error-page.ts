import { html } from './html.ts'
import { renderLayout } from './layout.ts'

/** What a person sees where a page cannot be shown. */
export function renderErrorPage(status: number, message: string, requestId: string): string {
  const main = html`<h1>${status}</h1><p>${message}</p><p class="soft">Request ${requestId}</p>`
  return renderLayout({ title: `Error ${status}`, description: message, main })
}
