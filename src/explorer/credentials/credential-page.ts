import type { RenderedPage } from '../../api/rendered-page.ts'
import { readAll } from '../../api/v3/read-passports.ts'
import { roundUp } from '../../catalog/score-standing.ts'
import { notFound } from '../../domain/errors.ts'
import type { Rule } from '../../domain/rule-set.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { CredentialV3 } from '../../domain/v3/passport.ts'
import { drawHistogram } from '../design/charts.ts'
import { type Html, html } from '../design/html.ts'
import { addressOfFilter, credentialAddress, formatFigure, formatPeople, shortWord } from '../design/text.ts'
import { drawTitleCard } from '../pictures/cards.ts'
import { drawableText } from '../pictures/drawable-text.ts'
import { type Ranked, renderRankingList } from '../search/ranking-list.ts'
import { ALL_PASSPORTS, equals, withFilter } from '../search/ranking-query.ts'
import type { CardOptions, ExplorerOptions, ExplorerPage } from '../site/explorer-page-types.ts'
import { respondPage } from '../site/layout-and-link-previews.ts'
import { whenReady } from '../site/not-ready.ts'
import type { Site } from '../site/site.ts'
import { formatShare, renderCategory, ruleOf } from './credential-list.ts'

const TOP = 10
/** The histogram reads the points of at most this many holders. Their credentials take about 3 MB. */
const SAMPLE = 500
const LONGEST_TYPE = 200

/** One type of credential: its rule, its holders and their points. */
export const createCredentialPage = (options: ExplorerOptions): ExplorerPage => ({
  version: async () => (await options.rules()).stamp,
  render({ params, signal, site }) {
    const type = foldName(params.type ?? '')
    if (type === '' || type.length > LONGEST_TYPE) throw notFound()
    return whenReady(site, credentialAddress(type), async () => {
      const found = await find(options, type, signal)
      if (found.holders === 0 && !found.rule) throw notFound()
      return renderPage(site, found)
    })
  },
})

type Found = Awaited<ReturnType<typeof find>>

async function find(options: ExplorerOptions, type: string, signal: AbortSignal) {
  const { store, catalog, rules } = options
  const ruleSet = await rules()
  const top = await listHolders(options, type, { limit: TOP, signal })
  const step = Math.max(1, Math.ceil(top.total / SAMPLE))
  const sample = await listHolders(options, type, { limit: SAMPLE, step, signal })
  const ids = [...new Set([...top.ids, ...sample.ids])]
  const credentials = await mapCredentials(options, type, ids)
  const { total: all, scale } = await catalog.standing(0)
  return {
    type,
    version: ruleSet.version,
    rule: ruleOf(ruleSet, type),
    holders: top.total,
    all: Math.max(all, top.total),
    scale,
    ranked: await Promise.all(
      (await store.passports.listByIds(top.ids)).map(async (passport): Promise<Ranked> => {
        const { rank } = await catalog.standing(passport.scores.total)
        return { passport, rank, note: describeScore(credentials.get(passport.id)) }
      }),
    ),
    example: credentials.values().next().value,
    scores: sample.ids.flatMap((id) => credentials.get(id)?.score ?? []),
  }
}

/** Each passport's best credential of a folded type. Credentials are sorted by score, so the first one is the best. */
async function mapCredentials({ store }: ExplorerOptions, type: string, ids: readonly number[]) {
  const credentials = new Map<number, CredentialV3>()
  const read = (keys: readonly { id: number }[]) => store.v3.find(keys, { credentials: true })
  const keys = ids.map((id) => ({ id }))
  for await (const found of readAll(keys, read, () => new Promise<void>(setImmediate))) {
    const passport = found && 'passport' in found ? found.passport : undefined
    const best = passport?.credentials?.find((each) => foldName(each.type) === type)
    if (passport && best) credentials.set(passport.id, best)
  }
  return credentials
}

const describeScore = (credential: CredentialV3 | undefined) =>
  credential && `${formatFigure(credential.score)} of ${count(credential.max_score, 'point')}`

const MAX_NAME_LENGTH = 80

function renderPage(site: Site, found: Found): RenderedPage {
  const { type, rule, example, holders, all, ranked } = found
  const name = shortWord(rule?.name ?? example?.name ?? type, MAX_NAME_LENGTH) || type
  const category = rule?.category ?? example?.category ?? ''
  const most = rule?.max_score ?? example?.max_score ?? 0
  const share = holders === 0 ? '' : `, ${formatShare((100 * holders) / all)} of all`
  return respondPage({
    site,
    title: `${name}: ${count(holders, 'holder')}`,
    description: `${formatPeople(holders)} with the credential ${name}: how it is scored, and who has the highest scores`,
    share: {
      path: credentialAddress(type),
      card: `/card/credential/${encodeURIComponent(type.toWellFormed())}.png`,
      alt: `${name}: ${formatPeople(holders)}`,
    },
    here: '/credentials',
    main: html`<p class="above"><a href="/credentials">Credentials</a></p>
<h1><bdi>${name}</bdi></h1>
<dl class="row summary">
<div><dt class="soft">Counts toward</dt><dd>${renderCategory(category)}</dd></div>
<div><dt class="soft">At most</dt><dd>${count(most, 'point')}</dd></div>
<div><dt class="soft">People</dt><dd>${formatFigure(holders)}<span class="soft">${share}</span></dd></div>
</dl>
${rule ? renderRule(rule, found.version) : html``}
${renderPoints(found.scores, most, holders)}
${ranked.length === 0 ? html`<p class="nothing panel">Nobody has this credential yet.</p>` : renderHolders(found, name)}`,
  })
}

const renderRule = (rule: Rule, version: string) => html`<section>
<h2>How it is scored</h2>
<p>${describeRule(rule)}</p>
<p class="soft">By rule set ${version}. A score given by an imported record stays as it is.</p>
</section>`

function renderHolders({ type, ranked, scale, holders }: Found, name: string): Html {
  return html`<h2>People with the highest total scores</h2>
${renderRankingList({ query: withFilter(ALL_PASSPORTS, 'credential', type), ranked, scale })}
<p><a class="button" href="${addressOfFilter('credential', type)}">${holders === 1 ? 'Show in the ranking' : `All ${formatFigure(holders)} people with ${name}`}</a></p>`
}

/** Lists `limit` holders of a type by total score; with `step`, only every `step`-th. */
function listHolders({ catalog }: ExplorerOptions, type: string, page: HolderPage) {
  const sort = { field: 'score', descending: true } as const
  return catalog.list({ filter: [equals('type', type)], sort, ...page }, false)
}

type HolderPage = { limit: number; step?: number; signal: AbortSignal }

/** How a rule turns a value into points, in words. */
export function describeRule({ convert, multiplier, max_score, accounts, proves_human }: Rule): string {
  const several =
    accounts === 'sum'
      ? 'The values of several accounts are added up first.'
      : 'Of several accounts, the best one counts.'
  const human = proves_human ? ' It also marks the person as a verified human.' : ''
  return `${CONVERSIONS[convert](multiplier, max_score)}, at most ${formatFigure(max_score)}. ${several}${human}`
}

const CONVERSIONS: Record<Rule['convert'], (multiplier: number, most: number) => string> = {
  none: (multiplier, most) =>
    multiplier >= most
      ? `${count(Math.min(multiplier, most), 'point')} for having it`
      : `${count(multiplier, 'point')} for each unit of the value`,
  sqrt: (multiplier) => `The square root of the value, times ${formatFigure(multiplier)}`,
  ln: (multiplier) => `The natural logarithm of the value, times ${formatFigure(multiplier)}`,
  years: (multiplier) => `${count(multiplier, 'point')} for each year since the date of the data point`,
}

const MOST_BUCKETS = 20

/** A histogram of the holders' points. If there are many holders, `scores` is an evenly spaced sample. */
function renderPoints(scores: readonly number[], most: number, holders: number): Html {
  if (scores.length < 2) return html``
  const sorted = scores.toSorted((one, other) => one - other)
  const end = Math.max(most, sorted.at(-1) ?? 0, 1)
  const step = Math.max(1, roundUp(end / MOST_BUCKETS))
  const buckets = new Array<number>(Math.ceil(end / step)).fill(0)
  for (const score of sorted) {
    const bucket = Math.min(buckets.length - 1, Math.max(0, Math.ceil(score / step) - 1))
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  const describeBar = (people: number, at: number) => {
    const first = step === 1 ? '' : `${formatFigure(at * step + 1)} to `
    return `${first}${count((at + 1) * step, 'point')}: ${formatPeople(people)}`
  }
  return html`<section>
<h2>Points</h2>
<figure>
${drawHistogram(buckets, { describe: describeBar })}
<p class="row between axis soft" aria-hidden="true"><span>0</span><span>${count(buckets.length * step, 'point')}</span></p>
<figcaption class="soft">${describePoints(sorted, most, holders)}</figcaption>
</figure>
</section>`
}

function describePoints(sorted: readonly number[], most: number, holders: number): string {
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const full = sorted.filter((score) => score >= most).length
  const basis =
    sorted.length < holders
      ? `${formatFigure(sorted.length)} of ${formatPeople(holders)}`
      : `all ${formatPeople(holders)}`
  const maximum = full === 0 ? 'none has' : `${formatFigure(full)} ${full === 1 ? 'has' : 'have'}`
  return `Half have ${count(median, 'point')} or more, ${maximum} the maximum of ${formatFigure(most)}. Based on ${basis}.`
}

/** The card of a credential: `/card/credential/{type}.png`. */
export const createCredentialCard = (options: CardOptions): ExplorerPage => ({
  version: async () => (await options.rules()).stamp,
  async render(request) {
    const { params, site, signal } = request
    const [, name] = /^(.{1,200})\.png$/s.exec(params.file ?? '') ?? []
    const type = foldName(name ?? '')
    const rule = ruleOf(await options.rules(), type)
    const { ids, total } = await listHolders(options, type, { limit: 7, signal })
    if (total === 0 && !rule) throw notFound()
    const title = drawableText(rule?.name ?? type, site.fonts) || 'Credential'
    const about = [rule?.category, `held by ${formatPeople(total)}`]
    const words = drawableText(about.filter(Boolean).join(', '), site.fonts)
    return options.drawCard(request, () => drawTitleCard(site, { title, words, ids, size: 108 }))
  },
})
