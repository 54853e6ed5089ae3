import type { RenderedPage } from '../../api/rendered-page.ts'
import type { Rule, RuleSetShape } from '../../domain/rule-set.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { partOf } from '../design/charts.ts'
import { groupByCategory, linkToType, MAX_NAME_LENGTH, renderProgress } from '../design/credential-rows.ts'
import { type Html, html } from '../design/html.ts'
import { formatFigure, shortWord } from '../design/text.ts'
import { countFacets, createFacetReader, type FacetValue } from '../search/facets.ts'
import { ALL_PASSPORTS } from '../search/ranking-query.ts'
import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page-types.ts'
import { respondPage } from '../site/layout-and-link-previews.ts'
import { whenReady } from '../site/not-ready.ts'
import type { Site } from '../site/site.ts'

/** All types of credentials by part of the score, those with the most holders first. */
export function createCredentialList(options: ExplorerOptions): ExplorerPage {
  const { addLabels } = createFacetReader(options)
  return {
    version: async () => (await options.rules()).stamp,
    render: ({ path, signal, site }) =>
      whenReady(site, path, async () => {
        const [types = []] = await countFacets(options.catalog, ALL_PASSPORTS, [{ field: 'type' }], signal)
        const rules = await options.rules()
        const { total } = await options.catalog.standing(0)
        const labelled = await addLabels('credential', types)
        const rows = labelled.map((each) => ({ ...each, rule: ruleOf(rules, each.value) }))
        return renderPage(site, rows, total)
      }),
  }
}

/** Finds the rule of a credential type, which must be folded. */
export const ruleOf = ({ types }: RuleSetShape, type: string): Rule | undefined =>
  Object.entries(types).find(([name]) => foldName(name) === type)?.[1]

type Row = FacetValue & { rule: Rule | undefined }

function renderPage(site: Site, rows: readonly Row[], total: number): RenderedPage {
  return respondPage({
    site,
    title: 'Credentials',
    description: `${count(rows.length, 'credential')} that people earn points with, and how many people have each`,
    share: { path: '/credentials' },
    here: '/credentials',
    main: html`<h1>Credentials</h1>
<p class="lead">A credential is a fact about a person that earns points: an account, a contribution, a verification. These are the ones that people have, by the part of the score that they count toward.</p>
${rows.length === 0 ? html`<p class="nothing panel">Nobody has a credential yet. <a href="/">Show all passports</a></p>` : renderTable(rows, total)}`,
  })
}

/** Renders a group for each part of the score. Types that count toward no part come last. */
function renderTable(rows: readonly Row[], total: number): Html {
  const groups = groupByCategory(rows.map((row) => ({ ...row, category: row.rule?.category ?? '' })))
  return html`<table class="panel">
<thead><tr><th scope="col">Credential</th><th scope="col" class="figure">At most</th><th scope="col" class="figure">People</th></tr></thead>
${groups.map(({ category, items }) => {
  const title = category === '' ? html`Without a rule` : renderCategory(category)
  return html`<tbody class="${partOf(category) ?? 'other'}"><tr class="group"><th scope="colgroup" colspan="3">${title}</th></tr>
${items.map((row) => renderRow(row, total))}</tbody>`
})}
</table>`
}

function renderRow({ value, count: holders, label, rule }: Row, total: number): Html {
  const share = Math.min(100, (100 * holders) / Math.max(total, holders))
  return html`<tr><th scope="row">${{ markup: linkToType(value, shortWord(label, MAX_NAME_LENGTH)) }}</th>
<td class="figure">${rule ? formatFigure(rule.max_score) : '–'}</td>
<td class="figure">${formatFigure(holders)} <span class="soft">${formatShare(share)}</span>${renderProgress(holders, total)}</td></tr>
`
}

/** Rounds a percentage, but never up to 100%. */
export const formatShare = (percent: number): string =>
  percent < 1 ? 'below 1%' : `${percent === 100 ? 100 : Math.min(99, Math.round(percent))}%`

export function renderCategory(category: string): Html {
  const part = partOf(category)
  return part
    ? html`<span class="swatch ${part}"></span> ${category}`
    : html`<bdi>${shortWord(category, MAX_NAME_LENGTH)}</bdi>`
}
