import { type Html, html } from './html.ts'

/** Works without a script: the list is asked for with what was typed. */
export function renderSearch(typed: string): Html {
  return html`<form class="search" action="/" role="search">
<label for="search">Find a passport</label>
<input id="search" name="q" type="search" value="${typed}" maxlength="200" placeholder="Name or wallet" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Search</button>
</form>`
}
