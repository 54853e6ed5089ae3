import canonicalJson from '../../core/basics/canonical-json.ts?text' with { type: 'text' }
import { PROGRAM } from '../../core/basics/version.ts'
import credential from '../../core/passport/credential.ts?text' with { type: 'text' }
import points from '../../core/scoring/points.ts?text' with { type: 'text' }
import { createScript } from '../../ui/assets-and-csp.ts'
import { html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import type { ExplorerPage } from '../../ui/page.ts'
import type { Site } from '../../ui/site.ts'
import script from './verify.client.ts?text' with { type: 'text' }
import snapshot from './verify-snapshot.ts?text' with { type: 'text' }

export const VERIFY_SCRIPT = createScript('verify.js', canonicalJson, credential, points, snapshot, script)

/** Checks signed scores in the browser. */
export const createVerifyPage = (): ExplorerPage => ({
  cacheKey: () => '',
  render: ({ site }) =>
    respondPage({
      site,
      title: 'Check a score',
      description: 'Check in your browser who signed a passport score, and calculate the score again',
      share: { path: '/verify' },
      script: VERIFY_SCRIPT,
      main: html`${COVER}
<div class="columns">
<div>
<div id="verdict" role="status"></div>
<section>
<noscript>
<p class="notice">This page needs JavaScript. Without it, the command on this page checks the same.</p>
</noscript>
<div class="scripted">
<p>Paste a snapshot, or choose “Check this score” on the page of a person${site.demo && EXAMPLE}.</p>
${renderField('snapshot', 'Snapshot', 'eyJhbGciOiJFZERTQSIs…')}
${OTHER_SITE}
<p><button id="check" type="button">Check</button></p>
</div>
</section>
</div>
<div>${renderCommand(site)}</div>
</div>`,
    }),
})

const COVER = html`<div class="cover">
<h1>Check a score</h1>
<p class="lead">A snapshot is a score that its issuer signed. This page checks who signed it, and calculates the score
again. Your browser does all of it: nothing that you paste leaves it.</p>
</div>`

const EXAMPLE = html`, such as <a href="#1">the first person of this demo</a>`

const renderField = (id: string, label: string, example: string) => html`<label for="${id}">${label}</label>
<textarea id="${id}" rows="3" placeholder="${example}" autocomplete="off" spellcheck="false"></textarea>`

const OTHER_SITE = html`<details>
<summary>Snapshot of another site</summary>
<p class="soft">Paste the public keys and the rule set of its issuer, from <code>/.well-known/jwks.json</code> and
<code>/api/v3/rules/…</code> there.</p>
${renderField('keys', 'Keys', '{"keys":[…]}')} ${renderField('rules', 'Rule set', '{"version":…}')}
</details>`

const renderCommand = ({ origin, demo }: Site) => html`<section>
<h2>On your computer</h2>
<p>Get a snapshot, and check it:</p>
<pre id="example">curl -H 'Accept: application/vc+jwt' ${origin}/api/v3/passports/1 > score.jwt
${demo ? PROGRAM : 'passportd'} verify score.jwt</pre>
<p class="soft">A snapshot has the scores and the numbers that they were calculated from. It has no name, account or
wallet. With the rule set and the keys of the issuer, anybody can check it offline.</p>
</section>`
