import { type Html, html } from '../html.ts'

/** Works without JavaScript. */
export function renderSearch(typed: string): Html {
  return html`<form class="search" action="/" role="search">
<label for="search">Find a passport</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name or wallet" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Search</button>
</form>`
}
