import base from './assets/base.css' with { type: 'text' }
import passport from './assets/passport.css' with { type: 'text' }
import ranking from './assets/ranking.css' with { type: 'text' }
import reference from './assets/reference.css' with { type: 'text' }
import { type Html, html } from './html.ts'
import { file } from './page.ts'

/** One stylesheet for all pages: a browser fetches it once. */
export const STYLE = file('text/css', [base, reference, ranking, passport].join('\n'), [])

export type Layout = {
  title: string
  /** A sentence for search engines and previews. */
  description: string
  /** What else belongs in the head: links and descriptions for machines. */
  head?: Html
  /** The file of the page's own script, if it has one. */
  script?: string
  /** Which of the links in the header is this page. */
  here?: string
  main: Html
}

/** The dress that all pages wear. */
export function renderLayout({ title, description, head, script, here, main }: Layout): string {
  const link = (path: string, text: string) =>
    html`<a href="${path}"${path === here ? html` aria-current="page"` : html``}>${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
${head ?? html``}${script === undefined ? html`` : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="brand"><a href="/">passportd</a></p>
<nav aria-label="Pages">${link('/', 'Passports')} ${link('/reference', 'API reference')} ${link('/deprecation', 'How V1 ends')}</nav>
</header>
<main id="main">
${main}
</main>
</body>
</html>
`.markup
}
