import { type Brownout, brownoutAt, brownoutState, type DatedPlan, phaseAt } from '../domain/retirement.ts'
import { formatDuration } from '../domain/text/duration.ts'
import { formatInstant } from '../domain/text/instant.ts'
import { parseWebAddress } from '../domain/url.ts'
import { type Html, html, prose } from './html.ts'
import { renderLayout } from './layout.ts'

/** How V1 ends, in words for its callers. */
export function renderDeprecation(plan: DatedPlan, now: number, explorer: boolean): string {
  const main = html`<h1>${headline(plan, now)}</h1>
<section id="plan" class="notice">
<h2>The plan</h2>
<dl class="facts">
${fact('Deprecated', since(plan.deprecatedAt, now))}
${fact('Removal', plan.sunsetAt === undefined ? html`no date is set` : since(plan.sunsetAt, now))}
${fact('Successor', plan.successor === undefined ? html`none is named yet` : link(plan.successor))}
${plan.notice === undefined ? [] : fact('Read more', link(plan.notice))}
</dl>
</section>
${renderBrownouts(plan, now)}
${renderAdvice(plan, now)}
${renderExemptions(plan, now)}
${renderHeaders(plan)}
<p class="soft">All times are in UTC.</p>`
  return renderLayout({
    title: 'How V1 ends',
    description: 'How the V1 passport API ends: its dates, and what to do',
    here: '/deprecation',
    explorer,
    main,
  })
}

function headline(plan: DatedPlan, now: number): Html {
  switch (phaseAt(plan, now)) {
    case 'removed':
      return html`The V1 passport API was removed`
    case 'brownout':
      return html`The V1 passport API is switched off until ${when(brownoutAt(plan, now)?.end ?? now)}`
    case 'announced':
      return html`The V1 passport API is going to be deprecated`
    case 'deprecated':
      return plan.sunsetAt === undefined
        ? html`The V1 passport API is deprecated`
        : html`The V1 passport API ends on ${when(plan.sunsetAt)}`
  }
}

const since = (time: number, now: number) => html`${time <= now ? 'since' : 'on'} ${when(time)}`

/** Its day and its hour each stay in one piece. */
function when(time: number): Html {
  const text = formatInstant(time)
  return html`<time datetime="${new Date(time).toISOString()}"><span>${text.slice(0, 10)}</span> <span>${text.slice(11)}</span></time>`
}

const fact = (name: string, value: Html) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`

/** What is not the address of a page is shown, and leads nowhere. */
function link(address: string): Html {
  return parseWebAddress(address) === address
    ? html`<a href="${address}" rel="noreferrer">${address}</a>`
    : html`${address}`
}

function renderBrownouts(plan: DatedPlan, now: number): Html {
  if (plan.brownouts.length === 0) return html``
  return html`<section id="brownouts">
<h2>Brown-outs</h2>
<p>At these times V1 is switched off on purpose, so that programs that still need it are noticed before it is gone. Calls are then answered 410 with the code <code>brownout</code>; <code>Retry-After</code> says for how many seconds.</p>
<table>
<thead><tr><th scope="col">From</th><th scope="col">Until</th><th scope="col" class="extra">Length</th><th scope="col">State</th></tr></thead>
<tbody>
${plan.brownouts.map((brownout) => renderBrownout(brownout, now))}
</tbody>
</table>
</section>`
}

function renderBrownout(brownout: Brownout, now: number): Html {
  const { start, end } = brownout
  return html`<tr><td>${when(start)}</td><td>${when(end)}</td><td class="extra">${formatDuration(end - start)}</td><td>${brownoutState(brownout, now)}</td></tr>
`
}

function renderAdvice(plan: DatedPlan, now: number): Html {
  return html`<section id="advice">
<h2>What to do</h2>
<p>${prose(describeEnd(plan, now))}</p>
<p>${
    plan.successor === undefined
      ? 'Find out which of your programs call V1, and come back to this page: it names the successor once there is one.'
      : html`Move your programs to ${link(plan.successor)}`
  }</p>
</section>`
}

function describeEnd(plan: DatedPlan, now: number): string {
  if (phaseAt(plan, now) === 'removed') {
    return 'Every call of V1 is answered 410 with the code `removed`, with any key and without one.'
  }
  return plan.sunsetAt === undefined
    ? 'V1 gets no new features. As long as no date of removal is set, it is kept.'
    : 'V1 gets no new features. After its removal every call is answered 410, with any key and without one.'
}

function renderExemptions(plan: DatedPlan, now: number): Html {
  if (phaseAt(plan, now) === 'removed') return html``
  return html`<section id="exemption">
<h2>If you need more time</h2>
<p>${prose('Ask the operator of this service to exempt your key: brown-outs then spare it. Name the key by its id, the ten letters and digits after `ppd_`, and never send the key itself. ')}${
    plan.notice === undefined ? '' : html`How to reach the operator: ${link(plan.notice)} `
  }</p>
<p>The removal spares no key.</p>
</section>`
}

/** With the values that answers carry now; without a removal date there is no `Sunset`. */
function renderHeaders({ deprecatedAt, sunsetAt }: DatedPlan): Html {
  const sunset = sunsetAt === undefined ? 'Sunset' : `Sunset: ${new Date(sunsetAt).toUTCString()}`
  return html`<section id="headers">
<h2>What V1 answers say about it</h2>
<dl>
<dt><code>Deprecation: @${Math.floor(deprecatedAt / 1000)}</code></dt>
<dd>Since when V1 is deprecated, in seconds since 1970 (RFC 9745).</dd>
<dt><code>${sunset}</code></dt>
<dd>When V1 is removed (RFC 8594). Only there once a date is set.</dd>
<dt><code>Link</code></dt>
<dd>With <code>rel="deprecation"</code> and <code>rel="sunset"</code> it leads to this page, with <code>rel="successor-version"</code> to the successor.</dd>
<dt><code>Retry-After: 3600</code></dt>
<dd>In a brown-out: how many seconds are left of it.</dd>
</dl>
</section>`
}
