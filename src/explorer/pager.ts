import { formatFigure } from './format.ts'
import { type Html, html } from './html.ts'

/** The address of a page of the list; the first has none of its own. */
export function addressOf(page: number, typed: string): string {
  const query = new URLSearchParams()
  if (typed !== '') query.set('q', typed)
  if (page > 1) query.set('page', String(page))
  return query.size === 0 ? '/' : `/?${query}`
}

/** The way to other pages; nothing where there is only one. */
export function renderPager(page: number, last: number, typed: string): Html {
  if (last === 1) return html``
  const link = (target: number, text: string, relation: string) =>
    target === page || target < 1 || target > last
      ? html`<span aria-hidden="true">${text}</span>`
      : html`<a href="${addressOf(target, typed)}"${relation === '' ? html`` : html` rel="${relation}"`}>${text}</a>`
  return html`<nav class="pager" aria-label="Pages of the list">
${link(1, 'First', '')}
${link(page - 1, 'Previous', 'prev')}
<span class="at">Page ${formatFigure(page)} of ${formatFigure(last)}</span>
${link(page + 1, 'Next', 'next')}
${link(last, 'Last', '')}
</nav>`
}
