import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { foldName } from '../../core/basics/text/fold-name.ts'
import type { RenderedPage } from '../../core/http/rendered-page.ts'
import { parseKeyword } from '../../core/lists/list-request.ts'
import { describeType } from '../../core/passport/rules/describe-type.ts'
import { findRule, type Rule } from '../../core/passport/rules/rule-set.ts'
import { partOf } from '../../ui/charts.ts'
import { groupByCategory, linkToType, MAX_NAME_LENGTH, renderProgress } from '../../ui/credential-rows.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import { EVERYBODY } from '../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import type { Site } from '../../ui/site.ts'
import { formatPeople, formatShare, shortWord } from '../../ui/text.ts'

export const createCredentialList = (options: ExplorerOptions): ExplorerPage => ({
  cacheKey: async ({ query }) => `${(await options.rules()).stamp} ${query.get('q') ?? ''}`,
  async render({ query, signal, site, charge }) {
    const typed = (query.get('q') ?? '').trim()
    const keyword = parseKeyword(typed, 'q') ?? ''
    charge(3)
    const rules = await options.rules()
    const { sort } = EVERYBODY
    const request = { filter: [], sort, limit: 0, groups: [{ field: 'type' } as const] }
    const { groups: [types] = [], total } = await options.index.call('list', { request }, signal)
    const rows = (types?.groups ?? []).flatMap(({ value, label, count }): Row[] => {
      if (value === null) return []
      const rule = findRule(rules, value)
      return [{ value, count, rule, label: rule?.name ?? label ?? value, about: describeType(value, rule) }]
    })
    const isMatch = ({ label, about, rule }: Row) =>
      foldName(`${label} ${about} ${rule?.category}`).includes(keyword)
    return renderCredentialList(site, typed, rows.filter(isMatch), total)
  },
})

type Row = { value: string; label: string; count: number; rule: Rule | undefined; about: string }

function renderCredentialList(site: Site, text: string, rows: readonly Row[], total: number): RenderedPage {
  const types = count(rows.length, 'credential')
  const facts = 'how many points it can earn, and how many people have it'
  return respondPage({
    site,
    title: 'Credentials',
    description: `What each of ${types} is, ${facts}`,
    share: { path: '/credentials' },
    main: html`<div class="cover skills">
<h1>Credentials</h1>
<p class="lead">A credential is a fact about a person that comes from another service: an account, a contribution, an
identity check. It earns points by a rule of this site, up to a maximum.
<a href="/about#parts">How points become a score</a></p>
<form class="search" action="/credentials" role="search">
<label class="unseen" for="find">Find a credential</label>
<input id="find" name="q" type="search" value="${text}" maxlength="200"
placeholder="Name or topic" autocomplete="off" spellcheck="false">
<button type="submit">Find</button>
</form>
</div>
${rows.length === 0 ? renderNone(text) : renderRows(rows, total, text === '')}`,
  })
}

function renderNone(text: string): Html {
  const none = text ? `No credential matches “${shortWord(text, 60)}”.` : 'Nobody has a credential yet.'
  const [address, words] = text ? ['/credentials', 'Show all credentials'] : ['/', 'Show all passports']
  return html`<p class="nothing panel">${none} <a href="${address}">${words}</a></p>`
}

const JUMP = html`. Jump to <a href="#identity">identity</a> or <a href="#skills">skills</a>.`

/** Renders a group for each part of the score. Types that count toward no part come last. */
function renderRows(rows: readonly Row[], total: number, isAll: boolean): Html {
  const groups = groupByCategory(rows.map((row) => ({ ...row, category: row.rule?.category ?? '' })))
  return html`<p class="count" role="status">
${count(rows.length, 'credential')}, the most common first${isAll && JUMP}
</p>
<article class="passport-page">
<section id="types">
<table>
<thead>
<tr>
<th scope="col">Credential</th>
<th scope="col">What it is</th>
<th scope="col" class="figure">At most</th>
<th scope="col" class="figure">People</th>
</tr>
</thead>
${groups.map(({ category, items }) => renderCategoryRows(category, items, total))}
</table>
</section>
</article>`
}

function renderCategoryRows(category: string, rows: readonly Row[], total: number): Html {
  const part = partOf(category)
  const title = category === '' ? html`Without a rule` : renderCategory(category)
  return html`<tbody${part && html` id="${part}"`} class="${part ?? 'other'}">
<tr class="group"><th scope="colgroup" colspan="4">${title}</th></tr>
${rows.map((row) => renderRow(row, total))}
</tbody>`
}

function renderRow({ value, count: holders, label, rule, about }: Row, total: number): Html {
  const share = formatShare(Math.min(100, (100 * holders) / Math.max(total, holders)))
  const bar = html`<span class="extra">${renderProgress(holders, total)}</span>`
  return html`<tr>
<th scope="row">${{ markup: linkToType(value, shortWord(label, MAX_NAME_LENGTH)) }}</th>
<td class="wide soft">${about}</td>
<td class="figure">${rule ? count(rule.max_score, 'point') : '–'}</td>
<td class="figure">${formatPeople(holders)} <span class="soft">${share}</span>${bar}</td>
</tr>
`
}

export function renderCategory(category: string): Html {
  const part = partOf(category)
  return part
    ? html`<span class="swatch ${part}"></span> ${category}`
    : html`<bdi>${shortWord(category, MAX_NAME_LENGTH)}</bdi>`
}
