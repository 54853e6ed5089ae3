import { type Html, html } from '../design/html.ts'

/** Works without JavaScript: hidden fields keep the filters. */
export function renderSearch(typed = '', hidden: readonly (readonly [string, string])[] = []): Html {
  return html`<form class="search" action="/" role="search">
<label for="search">Find a person</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name, tag, place, wallet or number" autocomplete="off" autocapitalize="off" spellcheck="false">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button type="submit">Search</button>
</form>`
}
