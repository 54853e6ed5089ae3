import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { foldName } from '../../core/basics/text/fold-name.ts'
import { termsOfLevels } from '../../core/lists/read-text.ts'
import type { Level, Rule, RuleSetShape } from '../../core/passport/rules/rule-set.ts'
import { readLogRange } from '../../core/reads/passports.ts'
import { SHARE } from '../../ui/assets-and-csp.ts'
import { CATEGORIES, partOf, renderScoreBar, SCORE_PARTS, type ScorePart } from '../../ui/charts.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import { drawLevel } from '../../ui/level-mark.ts'
import { addressOfFilter } from '../../ui/list-address.ts'
import type { ExplorerOptions, ExplorerPage } from '../../ui/page.ts'
import { renderKeyHelp, type Site } from '../../ui/site.ts'
import * as text from '../../ui/text.ts'

export const createAboutPage = (options: ExplorerOptions): ExplorerPage => ({
  cacheKey: async () => (await options.rules()).stamp,
  async render({ site }) {
    const rules = await options.rules()
    const scores = await options.index.call('distribution', undefined)
    const data = await readData(options)
    return respondPage({
      site,
      title: 'About',
      description: `Who runs ${site.name}, ${DESCRIPTION}`,
      share: { path: '/about', title: `About ${site.name}` },
      script: SHARE,
      main: html`${renderCover(site, scores, data.newest)}
${CONTENTS}
<div class="columns">
<div>${renderScoring(rules)}</div>
<div>${renderHuman(rules)}
${renderData(site, data)}</div>
<div>${renderLevels(rules.levels ?? [])}
${renderRequests(site)}</div>
<div>${renderPrograms(site, options.needsKey)}</div>
</div>`,
    })
  },
})

function renderCover(site: Site, scores: { total: number; median: number }, lastChange?: number): Html {
  const owner = site.owner ?? (site.demo ? 'The person who started this demo' : 'Not stated')
  const isExample = site.contact?.endsWith('@example.com') && ', and its contact is an example'
  return html`<div class="cover">
<h1>About ${site.name}</h1>
<p class="lead">A passport is one person’s public record of work. It lists credentials, which are facts such as
accounts, contributions and identity checks, and adds up their points to a score. This site runs passportd, open source
software that anybody can run.</p>
${site.demo && html`<p><strong>This is a demo. Its people and their records are invented${isExample}.</strong></p>`}
<dl class="row summary">
${renderFact('Run by', owner)}
${renderFact('Contact', renderContact(site) ?? 'Not stated')}
${renderFact('People', text.formatFigure(scores.total))}
${renderFact('Half of them score at least', text.formatFigure(scores.median))}
${lastChange !== undefined && renderFact('Last change', text.formatDay(lastChange))}
</dl>
</div>`
}

const renderFact = (name: string, value: string | Html) =>
  html`<div><dt class="soft">${name}</dt><dd>${value}</dd></div>`

const DESCRIPTION =
  'how a passport score is made, what the levels and “human” mean, and how to correct or remove a record'

const CONTENTS = html`<p class="jump soft">On this page: <a href="#parts">score</a>, <a href="#human">human</a>,
<a href="#levels">levels</a>, <a href="#you">is this you?</a>, <a href="#keys">for programs</a></p>`

const readData = async (options: ExplorerOptions) => ({
  ...(await readLogRange(options)),
  sources: await options.listSources(),
})

const renderContact = ({ contact }: Site) => contact && text.renderAddress(contact.replace(/^mailto:/, ''))

const [MOST_CHIPS, MAX_NAME_LENGTH] = [8, 40]

function renderScoring({ types, caps = {}, version }: RuleSetShape): Html {
  const rules = Object.entries(types).filter(([, { category }]) => partOf(category))
  const parts = SCORE_PARTS.map((part) => {
    const own = rules.filter(([, { category }]) => partOf(category) === part)
    const sum = own.reduce((all, [, rule]) => all + rule.max_score, 0)
    const most = Math.min(sum, caps[CATEGORIES[part]] ?? sum)
    return { part, most, about: `${most < sum ? 'capped, ' : ''}${count(own.length, 'credential')}` }
  })
  const [activity = 0, identity = 0, skills = 0] = parts.map(({ most }) => most)
  const total = activity + identity + skills
  const top = rules.toSorted(([, a], [, b]) => b.max_score - a.max_score)
  return html`<section id="parts">
<h2>How a score is made</h2>
<p>Every credential earns points by a rule, up to a maximum. The rule counts an amount such as contributions, or years,
or simply that the person has it.</p>
<p>The points count toward one of three parts: activity (what a person does), identity (who a person is) or skills
(what a person can do). The parts add up to the score, at most ${text.formatFigure(total)}:</p>
<div aria-hidden="true">${renderScoreBar({ activity, identity, skills, total }, total)}</div>
<dl class="parts">${parts.map(renderAboutPart)}</dl>
<p>A score counts what other services have recorded. It does not judge a person, and it misses work that no service
recorded. These credentials can earn the most points:</p>
${renderChips(top.slice(0, MOST_CHIPS))}
<p><a href="/credentials">What all credentials are, and what they earn</a></p>
<p class="soft">These are the rules of version ${version}. Some imported records already had points. Their passports
show those points unchanged.</p>
</section>`
}

type Part = { part: ScorePart; most: number; about: string }

const renderAboutPart = ({ part, most, about }: Part) => html`<div class="${part}">
<dt><span class="swatch"></span> ${CATEGORIES[part]}</dt>
<dd>${text.formatFigure(most)} <span class="soft detail">${about}</span></dd>
</div>`

type TypeRule = readonly [type: string, rule: Rule]

const renderChips = (rules: readonly TypeRule[]) => html`<ul class="chips">${rules.map(renderChip)}</ul>`

function renderChip([type, { name, max_score }]: TypeRule): Html {
  const words = html`<bdi>${text.shortWord(name, MAX_NAME_LENGTH)}</bdi> <span>${text.formatFigure(max_score)}</span>`
  return html`<li><a href="${text.credentialAddress(foldName(type))}">${words}</a></li>`
}

function renderLevels(levels: readonly Level[]): Html {
  if (levels.length === 0) return html``
  const rows = termsOfLevels(levels).map(({ name, terms }, at) => {
    const { from } = levels[at] as Level
    return html`<tr>
<th scope="row">${drawLevel(at + 1, levels.length)} <a href="${addressOfFilter(terms)}">${name}</a></th>
<td class="figure">${text.formatFigure(from)}</td>
</tr>
`
  })
  return html`<section id="levels">
<h2>What the levels mean</h2>
<p>A level is a name for a range of scores. It says how much is recorded about a person, not how good their work is. For
that, look at the credentials.</p>
<table>
<thead><tr><th scope="col">Level</th><th scope="col" class="figure">From</th></tr></thead>
<tbody>${rows.toReversed()}</tbody>
</table>
</section>`
}

function renderHuman({ types }: RuleSetShape): Html {
  const proofs = Object.entries(types).filter(([, rule]) => rule.proves_human)
  return html`<section id="human">
<h2>What “human” means</h2>
${proofs.length === 0 ? ONLY_IMPORTED : html`${ABOUT_PROOFS}${renderChips(proofs.slice(0, 3 * MOST_CHIPS))}`}
<p>The mark says that there is a person behind the passport. It does not confirm the name.
<a href="/?filter=human:true">People marked as human</a></p>
</section>`
}

const PILL = html`<span class="pill">human</span>`

const ONLY_IMPORTED = html`<p>No rule of this site marks people as human. The mark ${PILL} comes with imported
records.</p>`

const ABOUT_PROOFS = html`<p>A passport is marked ${PILL} if it has points for one of these credentials. Each comes from
a service that checks people itself. Some imported records already had the mark. A passport without it may still belong
to a person: no check is recorded yet.</p>`

function renderRequests(site: Site): Html {
  const contact = renderContact(site)
  return html`<section id="you">
<h2>Is this you?</h2>
<p>People can have their own passport corrected, completed, hidden or removed.
<a href="/me">Do it yourself with a wallet of the passport</a>, or ask:</p>
<ol>
<li><a href="/">Search</a> for your name, wallet or handle. The page of your passport shows its number, such as
“Passport 42”. If you have none, ask for one.</li>
<li>${contact ? html`Write to ${contact}.` : renderOtherContact(site)}</li>
<li>Claim the passport: give its number, and say which of its accounts or wallets is yours and how you can show
that.</li>
<li>Say what you want. <strong>Correct:</strong> what is wrong, and what is right. <strong>Complete:</strong> which
credential is missing. <strong>Hide or remove:</strong> the passport disappears from all pages and API responses, and a
later import does not bring it back unless the operator allows it.</li>
</ol>
${site.privacyUrl !== undefined && html`<p><a href="${site.privacyUrl}" rel="noreferrer">Privacy policy</a></p>`}
</section>`
}

function renderOtherContact({ owner, keys }: Site): Html {
  const hasKeys = keys && html`those who <a href="#keys">give out its keys</a>`
  const person = owner ?? hasKeys ?? 'the person who gave you its address'
  return html`This site names no contact. Ask ${person}, or the <a href="#data">source of the record</a>.`
}

function renderPrograms(site: Site, isKeyRequired = false): Html {
  const contact = renderContact(site)
  const contactForKeys = contact
    ? html`To get a key, write to ${contact}.`
    : 'This site does not say how to get a key.'
  return html`<section id="keys">
<h2>For programs</h2>
<p>The <a href="/reference/v3">API</a> has everything on these pages.
${isKeyRequired ? NEEDS_KEY : OPTIONAL_KEY} ${site.limits ?? ''}</p>
${site.keys ? renderKeyHelp(site) : html`<p>${contactForKeys}</p>`}
</section>`
}

const NEEDS_KEY = 'Every call needs a key.'
const OPTIONAL_KEY = `Reading works without a key. A key allows more requests. Looking up many passports at once,
following changes and writing need one.`

function renderData({ demo }: Site, { sources, knownSince }: Awaited<ReturnType<typeof readData>>): Html {
  const hosts = sources.map((source) => URL.parse(source)?.host ?? source)
  const copied = hosts.length > 0 && `Records are copied from ${hosts.join(', ')}.`
  const source = copied || 'The records were imported, and other services can add facts to them.'
  return html`<section id="data">
<h2>Where the data comes from</h2>
<p>${demo ? 'The demo made its records when it was first started, and imported them.' : source} This site shows names,
texts and accounts as the records have them, and does not check them.</p>
<p class="soft">A score is calculated again when its record or the rules change. Points for the age of an account are
updated then, too. Pages show the new score within seconds. The history of scores begins on
${text.formatDay(knownSince)}.</p>
</section>`
}
