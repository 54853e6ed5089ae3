import base from './assets/base.css' with { type: 'text' }
import baseElements from './assets/base-elements.css' with { type: 'text' }
import passport from './assets/passport.css' with { type: 'text' }
import passportMedia from './assets/passport-media.css' with { type: 'text' }
import passportSections from './assets/passport-sections.css' with { type: 'text' }
import ranking from './assets/ranking.css' with { type: 'text' }
import reference from './assets/reference.css' with { type: 'text' }
import referenceCode from './assets/reference-code.css' with { type: 'text' }
import scoreStyle from './assets/score.css' with { type: 'text' }
import { FONT_FACES, LATIN_FONT_PATH } from './design/fonts.ts'
import { file, POLICY } from './explorer-page.ts'
import { type Html, html } from './html.ts'

/** One stylesheet for all pages, fetched once. */
export const STYLE = file(
  'text/css',
  [
    FONT_FACES,
    base,
    baseElements,
    scoreStyle,
    reference,
    referenceCode,
    ranking,
    passport,
    passportSections,
    passportMedia,
  ].join('\n'),
  POLICY.file,
)

type Layout = {
  title: string
  /** For search engines and link previews. */
  description: string
  head?: Html
  script?: string
  /** The path of the current page in the header's navigation. */
  here?: string
  /** If the explorer is off, the header has no link to it. */
  explorer?: boolean
  main: Html
}

const ICON = html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='2' width='12' height='16' rx='2' fill='%231d6552'/%3E%3Cg fill='none' stroke='%23f7f3ea'%3E%3Ccircle cx='8' cy='6.5' r='3'/%3E%3Cpath d='M5 12.5h6'/%3E%3C/g%3E%3C/svg%3E">`

export function renderLayout(layout: Layout): string {
  const { title, description, head, script, here, explorer = true, main } = layout
  const link = (path: string, text: string) =>
    html`<a href="${path}"${path === here ? html` aria-current="page"` : html``}>${text}</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description}">
<title>${title}</title>
${ICON}
<link rel="preload" href="${LATIN_FONT_PATH}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/style.css">
${head ?? html``}${script === undefined ? html`` : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="brand"><a href="/">passportd</a></p>
<nav aria-label="Pages">${explorer ? html`${link('/', 'Passports')} ` : html``}${link('/reference', 'API reference')} ${link('/deprecation', 'Deprecation')}</nav>
</header>
<main id="main">
${main}
</main>
<footer><div>
<p>passportd serves professional-reputation records: people with a score for activity, identity and skills.</p>
<nav aria-label="For developers"><a href="/openapi.json">OpenAPI document</a> <a href="/reference">API reference</a></nav>
</div></footer>
</body>
</html>
`.markup
}
