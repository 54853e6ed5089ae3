import { html, prose } from './html.ts'
import { renderLayout } from './layout.ts'

/** What there is to see before there are passports: how to get some. */
export function renderStart(): string {
  const main = html`<h1>No passports yet</h1>
<p class="lead">The service runs, and its database is empty. There are three ways to fill it; a running service shows what comes in by itself.</p>
<section>
<h2>Bring your own records</h2>
<p>${prose('JSON lines, plain or gzip. The same file twice changes nothing, and what is refused is told by line and field. `docs/records.md` describes the format.')}</p>
<pre class="command">passportd import FILE</pre>
<p class="after">In a checkout of the repository, and with a first record to try:</p>
<pre class="command">npm run -s passportd -- import people.jsonl.gz
echo '{"passport_id":1,"passport_profile":{"display_name":"Ada"}}' |
  npm run -s passportd -- import -</pre>
</section>
<section>
<h2>Mirror a V1 service that is going away</h2>
<p>${prose('Copies all that another service serves, politely, and goes on where it was interrupted. More of it in `docs/records.md`.')}</p>
<pre class="command">MIRROR_KEY=... passportd mirror https://v1.example.com</pre>
</section>
<section>
<h2>Look around first</h2>
<p>A thousand invented people, in a database of their own:</p>
<pre class="command">passportd serve --demo</pre>
</section>
<p>${prose('Scores are worked out by rules that are data, described in `docs/scoring.md`; `docs/operate.md` is about running the service.')} Programs read all of it over the API: <a href="/reference">API reference</a>.</p>`
  return renderLayout({
    title: 'No passports yet',
    description: 'This passport service is empty: how to fill it',
    here: '/',
    main,
  })
}
