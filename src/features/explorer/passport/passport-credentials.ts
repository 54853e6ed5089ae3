import { notFound } from '../../../core/basics/errors.ts'
import { count } from '../../../core/basics/text/counts-and-sizes.ts'
import { lastPage, parsePageNumber } from '../../../core/lists/list-request.ts'
import type { Caps, Credential } from '../../../core/passport/credential.ts'
import { parsePassportRef, type Scores } from '../../../core/passport/passport.ts'
import { findNextSteps, type NextStep } from '../../../core/passport/rules/next-steps.ts'
import { type RuleSetShape, ruleOf } from '../../../core/passport/rules/rule-set.ts'
import { findPassport, findVersion } from '../../../core/reads/passports.ts'
import { CATEGORIES, partOf } from '../../../ui/charts.ts'
import * as credentialRows from '../../../ui/credential-rows.ts'
import { type Html, html, renderWithin } from '../../../ui/html.ts'
import { respondPage, shareWithCard } from '../../../ui/layout.ts'
import type { ExplorerOptions, ExplorerPage } from '../../../ui/page.ts'
import { renderPager } from '../../../ui/people-list.ts'
import { formatDay, formatFigure, shortNameOf, shortWord } from '../../../ui/text.ts'

/** The page shows the credentials with the most points and links to all, because a record may have thousands. */
const MOST_SHOWN = { rows: 50, bytes: 45_000 }
const MOST_FOLDED = { rows: 20, bytes: 10_000 }
const PAGE_SIZE = 75

/** A category shows this many rows and folds the others. If only one row would be folded, it is shown, too. */
const FIRST_ROWS = 3

type Types = RuleSetShape['types']
type Shown = { id: number; credentials: readonly Credential[]; scores: Scores; types: Types }

/**
 * Renders credentials by category, the highest score first, as the store sorts them. Folds credentials without points.
 */
export function renderCredentials({ id, credentials, scores, types }: Shown): Html {
  const [proof] = proofsOf(credentials, types)
  const scored = credentials.filter(({ score }) => score > 0)
  const others = credentials.filter(({ score }) => score <= 0)
  const render = createRow(types, proof)
  const rows = renderWithin(scored, render, MOST_SHOWN)
  const folded = renderWithin(others, render, MOST_FOLDED)
  const total = count(credentials.length, 'credential')
  const unscored = html`<details id="unscored" class="divided">
<summary>${count(others.length, 'credential')} without points</summary>
<table>
${TABLE_HEAD}
<tbody class="other">${folded.shown}</tbody>
</table>
</details>`
  return html`<section id="credentials">
<h2>Credentials${credentials.length !== 0 && html` <span class="soft">${formatFigure(credentials.length)}</span>`}</h2>
${credentials.length === 0 && html`<p class="soft">No credentials yet.</p>`}
${scored.length !== 0 && renderTable(rows.shown, scored, scores, FIRST_ROWS)}
${others.length !== 0 && unscored}
${rows.more + folded.more !== 0 && html`<p><a href="/passports/${id}/credentials">All ${total}</a></p>`}
</section>`
}

/**
 * Adds "since" to dates whose years count, marks proofs of a human, and unlinks types that may have no page: no points,
 * no rule.
 */
const createRow = (types: Types, proof?: Credential) => (credential: Credential) => {
  const { type, name, value, score } = credential
  const { convert, proves_human } = ruleOf({ types }, type) ?? {}
  const since = convert === 'years' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN
  const proven = score > 0 && proves_human && 'shows that this is a human'
  const words = [Number.isNaN(since) ? value : `since ${formatDay(since)}`, proven].filter(Boolean).join(', ')
  const link = score > 0 || convert ? {} : { type: '', name: name || type }
  const row = credentialRows.renderCredential({ ...credential, ...link, value: words })
  return credential === proof ? { ...row, markup: row.markup.replace('<tr', PROOF_ROW) } : row
}

export const proofsOf = (credentials: readonly Credential[], types: Types) =>
  credentials.filter(({ type, score }) => score > 0 && ruleOf({ types }, type)?.proves_human)

/** The row that the pill "human" links to. */
export const PROOF_ROW = '<tr id="human"'

const TABLE_HEAD = html`<thead><tr>
<th scope="col">Credential</th><th scope="col">Points</th><th scope="col" class="figure">Earned</th>
</tr></thead>`

/** `rows` are the rows to show. The heading of a category counts all its credentials. */
function renderTable(
  rows: readonly credentialRows.CredentialRow[],
  all: readonly Credential[],
  scores: Scores,
  first = Number.POSITIVE_INFINITY,
): Html {
  const byCategory = Map.groupBy(all, ({ category }) => category)
  const groups = credentialRows.groupByCategory(rows).map(({ category, part, items }, at) => {
    const number = count(byCategory.get(category)?.length ?? 0, 'credential')
    const name = shortWord(category, credentialRows.MAX_NAME_LENGTH) || 'Other'
    const words =
      part === undefined ? 'not part of the score' : `${formatFigure(scores[part])} from ${number}`
    return html`<tbody class="${part ?? 'other'}">
<tr class="group"><th scope="rowgroup" colspan="3">
<span class="swatch"></span> <bdi>${name}</bdi> <span class="soft">${words}</span>
</th></tr>
${credentialRows.foldRows(items, first, `more-${at}`, 3)}</tbody>
`
  })
  return html`<table>
${TABLE_HEAD}
${groups}</table>`
}

type Growth = Omit<Shown, 'id'> & { caps: Caps }

/** Renders steps that raise the score. Categories at their cap are left out. */
export function renderGrowth({ credentials, scores, types, caps }: Growth): Html {
  const roomOf = (category: string) => {
    const part = partOf(category)
    return part ? (caps[CATEGORIES[part]] ?? Number.POSITIVE_INFINITY) - scores[part] : 0
  }
  const steps = findNextSteps({ credentials, types, roomOf })
  if (steps.length === 0) return html``
  return html`<section id="growth">
<h2>What would raise the score</h2>
<ul class="rows gaps">${steps.map(renderStep)}</ul>
</section>`
}

function renderStep({ type, name, category, score, maxScore, words }: NextStep): Html {
  const link = { markup: credentialRows.linkToType(type, shortWord(name, credentialRows.MAX_NAME_LENGTH)) }
  const bar = score > 0 && credentialRows.renderProgress(score, maxScore)
  return html`<li class="${partOf(category) ?? ''}">${link}
<span>${formatFigure(score)} of ${formatFigure(maxScore)}</span>
${bar}
<span class="soft">${shortWord(words, 100)}</span></li>`
}

export const createCredentialsPage = (options: ExplorerOptions): ExplorerPage => ({
  async cacheKey({ params, query }) {
    const [ref, page] = [parsePassportRef(params.ref ?? ''), parsePageNumber(query.get('page'))]
    return ref && `${page} ${await findVersion(options, ref)} ${(await options.rules()).stamp}`
  },
  async render({ params, query, site }) {
    const page = parsePageNumber(query.get('page'))
    const ref = parsePassportRef(params.ref ?? '')
    const person = ref && (await findPassport(options, ref))
    if (!person) throw notFound()
    const { passport, credentials } = person
    const { types } = await options.rules()
    const last = lastPage(credentials.length, PAGE_SIZE)
    if (page > last) throw notFound()
    const name = shortNameOf(passport)
    const rows = credentials.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)
    const addressOf = (target: number) =>
      `/passports/${passport.id}/credentials${target === 1 ? '' : `?page=${target}`}`
    const link = html`<a href="/passports/${passport.id}"><bdi>${name}</bdi></a>`
    const main = html`<h1 class="cover">Credentials of ${link}</h1>
<article class="passport-page">
<section id="credentials">
${renderTable(rows.map(createRow(types)), credentials, passport.scores)}
</section>
${renderPager(page, last, addressOf)}
</article>`
    const title = `Credentials of ${name}`
    const description = `${name}: ${count(credentials.length, 'credential')}`
    const share = shareWithCard(passport, addressOf(page))
    return respondPage({ site, title, description, share, main })
  },
})
