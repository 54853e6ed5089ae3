import { formatDuration } from '../../core/basics/text/duration.ts'
import { formatInstant } from '../../core/basics/text/instant.ts'
import { type Html, html, prose } from '../../ui/html.ts'
import { renderLayout } from '../../ui/layout.ts'
import type { Site } from '../../ui/site.ts'
import { renderAddress } from '../../ui/text.ts'
import type { DatedPlan } from './plan.ts'
import { brownoutAt, brownoutState, DEFAULT_SUCCESSOR, isRemoved, phaseAt } from './plan.ts'

export function renderDeprecation(site: Site, plan: DatedPlan, now: number): string {
  const main = html`<div class="deprecation">
<div class="cover"><h1>${describePhase(plan, now)}</h1>
<p class="lead">${prose(describeEnd(plan, now))}</p></div>
<section id="plan" class="notice">
<h2>Dates</h2>
<dl class="row summary">
${fact('Deprecated', since(plan.deprecatedAt, now))}
${fact('Removal', since(plan.sunsetAt, now))}
${fact('Successor', renderAddress(plan.successor ?? DEFAULT_SUCCESSOR))}
${plan.notice === undefined ? [] : fact('More information', renderAddress(plan.notice))}
</dl>
</section>
<section id="advice">
<h2>What to do</h2>
${renderAdvice(plan)}
</section>
${renderBrownouts(plan, now)}
${renderExemptions(plan, now)}
<p class="soft">The plan also applies to <code>/api/v2</code>, if it is served here. All times are in UTC.</p>
</div>`
  return renderLayout({
    site,
    title: 'Deprecation of V1',
    description: 'Deprecation of the V1 passport API: its dates, and what to do',
    share: { path: '/deprecation' },
    main,
  })
}

/** The current phase, with its date. */
export function describePhase(plan: DatedPlan, now: number): Html {
  const phase = phaseAt(plan, now)
  const brownout = brownoutAt(plan, now)
  if (phase === 'removed') return html`The V1 passport API was removed`
  if (brownout) return html`The V1 passport API is switched off until ${when(brownout.end)}`
  if (phase === 'announced') return html`The V1 passport API will be deprecated`
  if (plan.sunsetAt !== undefined) return html`The V1 passport API ends on ${when(plan.sunsetAt)}`
  return html`The V1 passport API is ${phase === 'supported' && 'not '}deprecated`
}

const since = (time: number | undefined, now: number) =>
  time === undefined ? html`no date is set` : html`${time <= now ? 'since' : 'on'} ${when(time)}`

/** Allows a line break only between the date and the time. */
function when(time: number): Html {
  const text = formatInstant(time)
  const [day, clock] = [text.slice(0, 10), text.slice(11)]
  return html`<time datetime="${new Date(time).toISOString()}"><span>${day}</span> <span>${clock}</span></time>`
}

const fact = (name: string, value: Html) => html`<div><dt class="soft">${name}</dt><dd>${value}</dd></div>`

function renderBrownouts(plan: DatedPlan, now: number): Html {
  if (plan.brownouts.length === 0) return html``
  return html`<section id="brownouts">
<h2>Brownouts</h2>
<p>V1 is switched off for a short time, so that programs which still need it are noticed before the removal.
Requests then get status 410 with the code <code>brownout</code>; <code>Retry-After</code> is the number of seconds
until V1 works again.</p>
<table>
<thead><tr>
<th scope="col">From</th><th scope="col">Until</th><th scope="col" class="extra">Length</th><th scope="col">State</th>
</tr></thead>
<tbody>
${plan.brownouts.map((brownout) => renderBrownout(brownout, now))}
</tbody>
</table>
</section>`
}

const renderBrownout = ({ start, end }: DatedPlan['brownouts'][number], now: number) => html`<tr>
<td>${when(start)}</td>
<td>${when(end)}</td>
<td class="extra">${formatDuration(end - start)}</td>
<td>${brownoutState({ start, end }, now)}</td>
</tr>
`

const renderAdvice = ({ successor }: DatedPlan) =>
  successor === undefined ? MIGRATION : html`<p>Move your programs to ${renderAddress(successor)}</p>`

/** The calls of V1 and their replacements. */
const CALLS = [
  ['/api/v1/passports?keyword=zoe', '/api/v3/passports?q=zoe'],
  ['/api/v1/passports/42', '/api/v3/passports/42'],
  ['/api/v1/passport_credentials?passport_id=42', '/api/v3/passports/42?select=credentials'],
] as const

const renderMove = ([before, after]: (typeof CALLS)[number]) =>
  html`<tr><td><code>${before}</code></td><td><code>${after}</code></td></tr>`

const MIGRATION = html`<p>Move your programs to <code>${DEFAULT_SUCCESSOR}</code> of this service. The
<a href="/reference/v3">API reference</a> describes its calls and has examples to copy.</p>
<table>
<thead><tr><th scope="col">In V1</th><th scope="col">In V3</th></tr></thead>
<tbody>${CALLS.map(renderMove)}</tbody>
</table>`

function describeEnd(plan: DatedPlan, now: number): string {
  if (isRemoved(plan, now))
    return 'Every V1 request gets status 410 with the code `removed`, with or without a key.'
  const features = plan.deprecatedAt === undefined ? '' : 'V1 gets no new features. '
  return plan.sunsetAt === undefined
    ? `${features}V1 keeps working while no removal date is set.`
    : `${features}After its removal every request gets status 410, with or without a key.`
}

function renderExemptions(plan: DatedPlan, now: number): Html {
  if (isRemoved(plan, now)) return html``
  const contact = plan.notice === undefined ? '' : html`Contact: ${renderAddress(plan.notice)} `
  return html`<section id="exemption">
<h2>If you need more time</h2>
<p>Ask the operator of this service to exempt your key from brownouts, the times in which V1 is switched off before its
removal. Send the key id, the ten letters and digits after <code>ppd_</code>; never send the key itself. ${contact}</p>
<p>No key is exempt from the removal.</p>
</section>`
}
