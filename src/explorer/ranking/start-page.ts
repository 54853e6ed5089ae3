import type { RenderedPage } from '../../api/rendered-page.ts'
import { html, prose } from '../design/html.ts'
import { respondPage } from '../site/layout.ts'
import type { Site } from '../site/site.ts'

/** Shown while the database is empty. */
export function renderStart(site: Site): RenderedPage {
  const main = html`<h1>No passports yet</h1>
<p class="lead">The service is running and its database is empty. Fill it in one of three ways; new passports appear without a restart.</p>
<section>
<h2>Import your own records</h2>
<p>${prose('JSON Lines, plain or gzip. Importing a file twice changes nothing. Rejected records are reported by line and field. `docs/records.md` describes the format.')}</p>
<pre class="command">passportd import FILE</pre>
<p>From a checkout of the repository, with an example record:</p>
<pre class="command">npm run -s passportd -- import people.jsonl.gz
echo '{"passport_id":1,"passport_profile":{"display_name":"Ada"}}' |
  npm run -s passportd -- import -</pre>
</section>
<section>
<h2>Mirror an existing V1 service</h2>
<p>${prose('Copies all records of another service at a limited rate, and resumes after an interruption. See `docs/records.md`.')}</p>
<pre class="command">MIRROR_KEY=... passportd mirror https://v1.example.com</pre>
</section>
<section>
<h2>Try the demo</h2>
<p>A thousand fictional people, in a separate database:</p>
<pre class="command">passportd serve --demo</pre>
</section>
<p>${prose('`docs/scoring.md` describes the scoring rules, `docs/operate.md` the operation of the service.')} The <a href="/reference/v3">API reference</a> describes access for programs.</p>`
  return respondPage({
    site,
    title: 'No passports yet',
    description: 'This passport service is empty: how to fill it',
    here: '/',
    share: { path: '/' },
    main,
  })
}
