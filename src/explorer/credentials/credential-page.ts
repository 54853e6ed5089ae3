import type { RenderedPage } from '../../api/rendered-page.ts'
import { mapChunks } from '../../catalog/find-list.ts'
import type { Credential } from '../../domain/credential.ts'
import { notFound } from '../../domain/errors.ts'
import type { Rule } from '../../domain/rule-set.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { count } from '../../domain/text/format.ts'
import { addressOfFilter, credentialAddress, formatFigure, formatPeople } from '../design/format.ts'
import { type Html, html } from '../design/html.ts'
import { shortWord } from '../design/sanitize.ts'
import { type Ranked, renderRankingList } from '../search/ranking-list.ts'
import { ALL_PASSPORTS } from '../search/ranking-query.ts'
import type { ExplorerOptions, ExplorerPage } from '../site/explorer-page.ts'
import { respondPage } from '../site/layout.ts'
import { whenReady } from '../site/not-ready.ts'
import type { Site } from '../site/site.ts'
import { formatShare, renderCategory } from './credential-list.ts'
import { renderPoints } from './credential-points.ts'
import { describeRule, listHolders, ruleOf } from './credential-types.ts'

const TOP = 10
/** Holders whose points are read for the distribution: about 3 MB. */
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
  const top = await listHolders(options, type, { limit: TOP }, signal)
  const step = Math.max(1, Math.ceil(top.total / SAMPLE))
  const sample = await listHolders(options, type, { limit: SAMPLE, step }, signal)
  const ids = [...new Set([...top.ids, ...sample.ids])]
  const chunks = await mapChunks(ids, (chunk) => store.search.mapCredentials(type, chunk))
  const credentials = new Map(chunks.flatMap((chunk) => [...chunk]))
  const { total: all, scale } = await catalog.standing(0)
  return {
    type,
    version: ruleSet.version,
    rule: ruleOf(ruleSet, type),
    holders: top.total,
    all: Math.max(all, top.total),
    scale,
    ranked: await rankTop(options, top.ids, credentials),
    example: credentials.values().next().value,
    scores: sample.ids.flatMap((id) => credentials.get(id)?.score ?? []),
  }
}

async function rankTop(
  { store, catalog }: ExplorerOptions,
  ids: readonly number[],
  credentials: ReadonlyMap<number, Credential>,
): Promise<Ranked[]> {
  const passports = await store.passports.listByIds(ids)
  return Promise.all(
    passports.map(async (passport) => ({
      passport,
      rank: (await catalog.standing(passport.scores.total)).rank,
      note: describePoints(credentials.get(passport.id)),
    })),
  )
}

const describePoints = (credential: Credential | undefined) =>
  credential && `${formatFigure(credential.score)} of ${count(credential.maxScore, 'point')}`

const MAX_NAME_LENGTH = 80

function renderPage(site: Site, found: Found): RenderedPage {
  const { type, rule, example, holders, all, ranked } = found
  const name = shortWord(rule?.name ?? example?.name ?? type, MAX_NAME_LENGTH) || type
  const category = rule?.category ?? example?.category ?? ''
  const most = rule?.max_score ?? example?.maxScore ?? 0
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
<p>${describeRule(rule).join(' ')}</p>
<p class="soft">By rule set ${version}. A score given by an imported record stays as it is.</p>
</section>`

function renderHolders({ type, ranked, scale, holders }: Found, name: string): Html {
  const query = ALL_PASSPORTS
  const list = { query, ranked, scale, total: holders, all: holders, last: 1 }
  return html`<h2>People with the highest total scores</h2>
${renderRankingList(list)}
<p><a class="button" href="${addressOfFilter('credential', type)}">${holders === 1 ? 'Show in the ranking' : `All ${formatFigure(holders)} people with ${name}`}</a></p>`
}
