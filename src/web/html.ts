/** Markup that is safe to send as it is. */
export type Html = { markup: string }

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter)

type Value = string | number | Html | readonly Html[]

/** A template whose values are escaped, unless they are `Html` themselves. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: parts.reduce((markup, part, at) => markup + render(values[at - 1] ?? '') + part) }
}

function render(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return 'markup' in value ? value.markup : value.map((each) => each.markup).join('')
}

/** A sentence in which `backticks` set code. */
export function prose(text: string): Html {
  const parts = text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}
