import { notFound } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { foldName } from '../../core/basics/text/fold-name.ts'
import type { RenderedPage } from '../../core/http/rendered-page.ts'
import { equals } from '../../core/lists/filter.ts'
import type { Credential } from '../../core/passport/credential.ts'
import { readRawValue, replaceNumber } from '../../core/passport/data-point.ts'
import { countUnit, describeRule, describeType, findKnown } from '../../core/passport/rules/describe-type.ts'
import {
  findRule,
  isAllOrNothing,
  pointsFor,
  type Rule,
  stepsOf,
} from '../../core/passport/rules/rule-set.ts'
import { findPassport } from '../../core/reads/passports.ts'
import { searchPeople } from '../../core/reads/search.ts'
import { SHARE } from '../../ui/assets-and-csp.ts'
import { partOf } from '../../ui/charts.ts'
import { MAX_NAME_LENGTH } from '../../ui/credential-rows.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import { addressOf, EVERYBODY, PAGE_SIZE } from '../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import { type Ranked, renderRankingList, showPart } from '../../ui/people-list.ts'
import { renderSharePanel, SHARE_BUTTON } from '../../ui/share-panel.ts'
import type { Site } from '../../ui/site.ts'
import * as text from '../../ui/text.ts'
import { renderCategory } from './credential-list.ts'

/** One type of credential: how it is earned, and the people who have it, those with the most points first. */
export const createCredentialPage = (options: ExplorerOptions): ExplorerPage => ({
  cacheKey: async () => (await options.rules()).stamp,
  async render({ params, signal, site, charge }) {
    const type = foldName(params.type ?? '')
    if (type === '' || type.length > text.LONGEST_VALUE) throw notFound()
    // Sorting the people costs about as much as two evaluations of the index.
    charge(5)
    return renderCredential(site, await findHolders(options, type, signal))
  },
})

type CredentialType = Awaited<ReturnType<typeof findHolders>>

async function findHolders(options: ExplorerOptions, type: string, signal: AbortSignal) {
  const rules = await options.rules()
  const rule = findRule(rules, type)
  // If the rule gives everybody the same points, scores are shown instead.
  const isSame = rule !== undefined && isAllOrNothing(rule)
  const sort = { ...EVERYBODY.sort, ...(!isSame && { pointsFor: type }) }
  const query = { ...EVERYBODY, sort, filter: [equals('type', type)] }
  const list = await searchPeople(options, rules, { ...query, limit: PAGE_SIZE }, signal)
  const { people, total: holders, distribution } = list
  if (holders === 0 && !rule) throw notFound()
  const example = await findExample(options, type, people[0]?.passport.id)
  const most = rule?.max_score ?? example?.maxScore ?? 0
  const category = rule?.category ?? example?.category ?? ''
  const part = partOf(category) ?? 'total'
  return {
    ...{ type, query, rule, version: rules.version, most, category, holders, example, isSame },
    scale: isSame ? distribution.scale : most,
    all: Math.max(distribution.total, holders),
    ranked: people.map(({ passport, rank, points: [points = 0] }): Ranked => {
      return { rank, ...(isSame ? { passport } : showPart(passport, points, part)) }
    }),
  }
}

async function findExample(options: ExplorerOptions, type: string, id: number | undefined) {
  if (id === undefined) return undefined
  const holder = await findPassport(options, { id })
  return holder?.credentials.find((credential) => foldName(credential.type) === type)
}

function renderCredential(site: Site, credential: CredentialType): RenderedPage {
  const { type, rule, example, holders } = credential
  const name = text.shortWord(rule?.name ?? example?.name ?? type, MAX_NAME_LENGTH) || type
  const title = `${name}: ${text.formatPeople(holders)}`
  const share = { path: text.credentialAddress(type) }
  const people = holders === 1 ? '1 person has' : `${text.formatPeople(holders)} have`
  return respondPage({
    site,
    share,
    script: SHARE,
    title,
    description: `${describeType(type, rule)} ${people} it.`,
    main: html`<div class="cover ${partOf(credential.category) ?? ''}">
<p class="above"><a href="/credentials">Credentials</a></p>
<h1><bdi>${name}</bdi></h1>
<p class="lead">${describeType(type, rule)}</p>
${renderSummary(credential)}
<p class="row actions">${SHARE_BUTTON}</p>
</div>
${renderSharePanel(share, `${title} on ${site.name}`, site.origin)}
${rule && renderRule(rule, credential)}
${holders === 0 ? html`<p class="nothing panel">Nobody has this credential yet.</p>` : renderHolders(credential)}`,
  })
}

const renderFact = (name: string, value: Html | string) =>
  html`<div><dt class="soft">${name}</dt><dd>${value}</dd></div>
`

function renderSummary({ type, rule, example, category, most, holders, all }: CredentialType): Html {
  const issuer = rule?.issuer ?? example?.issuer
  const source = issuer ?? findKnown(type)?.source
  const origin = text.shortWord(source ?? 'the operator of this site', MAX_NAME_LENGTH)
  const part = holders === 0 ? '' : `, ${text.formatShare((100 * holders) / all)} of all`
  return html`<dl class="row summary">
${renderFact(partOf(category) ? 'Counts toward' : 'Category', renderCategory(category))}
${renderFact('At most', count(most, 'point'))}
${renderFact(issuer ? 'Issued by' : source ? 'Comes from' : 'Recorded by', html`<bdi>${origin}</bdi>`)}
${renderFact('People', html`${text.formatFigure(holders)}<span class="soft">${part}</span>`)}
</dl>`
}

function renderRule(rule: Rule, { type, version, example }: CredentialType): Html {
  const { how, unit: known } = findKnown(type) ?? {}
  const unit = unitOf(rule, example, known)
  const steps = isAllOrNothing(rule) || rule.convert === 'years' || !unit ? [] : stepsOf(rule)
  const facts = steps.map(([amount, points]) =>
    renderFact(count(points, 'point'), replaceNumber(unit ?? '', text.formatFigure(amount))),
  )
  return html`<section>
<h2>How it is earned</h2>
<p>${how !== undefined && `${how}. `}${describeRule(rule)}</p>
${facts.length > 0 && html`<dl class="row summary">${facts}</dl>`}
<p class="soft">By rule set ${version}. If a record was imported with points, these are shown unchanged.</p>
</section>`
}

function renderHolders({ query, ranked, scale, holders, isSame }: CredentialType): Html {
  const order = isSame
    ? 'The highest score is first.'
    : 'People with equal points are ordered by their score.'
  const all = `All ${text.formatFigure(holders)} people, with filters`
  return html`<h2>${isSame ? 'People who have it' : 'People with the most points'}</h2>
${holders > 1 && html`<p class="soft">${order}</p>`}
${renderRankingList({ query, ranked, scale, among: holders })}
<p><a class="button quiet" href="${addressOf(query)}">${holders === 1 ? 'Show in the list of people' : all}</a></p>`
}

/** A value with another number. The record may have another number than the one that counts: then it is unknown. */
export function unitOf(rule: Rule, example: Credential | undefined, unit?: string): string | undefined {
  const unknown = unit === undefined ? undefined : countUnit(0, unit)
  const raw = example && readRawValue(example, 'number')
  if (raw?.kind !== 'number' || pointsFor(rule, raw.amount) !== example?.score) return unknown
  const isSure = example.score < rule.max_score || /^\d/.test(example.value)
  return isSure ? text.shortWord(example.value, MAX_NAME_LENGTH) : unknown
}
