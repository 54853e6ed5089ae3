import { LONGEST_REQUEST, type Subject } from '../../domain/subject.ts'
import { type Html, html } from '../design/html.ts'
import { renderAddress } from '../design/text.ts'
import type { Site } from '../site/site.ts'

/** What a person types to confirm a removal. */
export const CONFIRMATION = 'remove'

/** What the page says after an action or an error. */
export const NOTICES: Readonly<Record<string, string>> = {
  hide: 'Your passport is hidden.',
  show: 'Your passport is visible again.',
  request: 'Your request was sent to the operator.',
  remove: 'Your passport was removed.',
  leave: 'You are signed out.',
  unauthorized: 'Your session has ended. Show again that a wallet is yours.',
}

/** The last policy for referrers holds. With this one, browsers send the origin of forms. */
export const HEAD = {
  title: 'Is this you?',
  description: 'See, hide, correct or remove your own record',
  head: html`<meta name="referrer" content="same-origin">`,
}

/** The frame of every state of the page. */
export const renderMe = (site: Site, notice: string, body: Html): Html => html`<h1>Is this you?</h1>
<p class="lead">Whoever a passport is about can see everything that is stored, hide it, have it corrected, or remove it.</p>
${notice === '' ? html`` : html`<p class="notice" role="status">${notice}</p>`}
<div class="columns"><div>
${body}
</div><div>
<section id="stored">
<h2>What is stored</h2>
<p><strong>What:</strong> the name, text, place, tags, accounts and wallets of your record, the facts that earn points, your score and its changes, and requests that you send here.</p>
<p><strong>Who sees it:</strong> everybody sees the passport page, and programs read the same over the API. Only you and the operator see requests, and a passport that is hidden.</p>
<p><strong>How long:</strong> until you or the operator remove it. A request is deleted when it is done, and a session after one hour. A session stores neither your wallet nor your name.</p>
<p><strong>After a removal</strong> only the passport number and a fingerprint of the wallets stay, so that a later import does not bring the record back. Backups keep older data until the operator deletes them.</p>
${site.privacyUrl === undefined ? html`` : html`<p><a href="${site.privacyUrl}" rel="noreferrer">Privacy policy</a></p>`}
</section>
<section id="other-ways">
<h2>Without such a wallet</h2>
<p>Contract wallets and wallets of other chains cannot be checked here. ${site.contact === undefined ? html`<a href="/about#you">Ask the operator</a> instead.` : html`Write to ${renderAddress(site.contact.replace(/^mailto:/, ''))} instead.`}</p>
</section>
</div></div>`

const renderForm = (action: string, button: string, fields: Html, look = ''): Html =>
  html`<form class="stack" method="post" action="/me"><input type="hidden" name="action" value="${action}">${fields}<p><button class="${look}">${button}</button></p></form>`

const renderProof = (wallet: string, nonce: string, field: Html): Html =>
  renderForm(
    'session',
    'Continue',
    html`<input type="hidden" name="wallet" value="${wallet}"><input type="hidden" name="nonce" value="${nonce}">${field}`,
  )

/** The first step. The script adds a button for each wallet of the browser, and fills the hidden form. */
export const PROOF: Html = html`<section id="proof">
<h2>Show that a wallet is yours</h2>
<p>Sign a message with a wallet of your passport. It is a proof, not a transaction: it costs nothing, and nothing can be paid with it.</p>
<p id="wallets" class="row" hidden></p>
<p id="trouble" class="notice" role="alert" hidden></p>
<details id="by-hand" open><summary>Sign in another program</summary>
${renderForm('challenge', 'Show the message', html`<label for="wallet">Your wallet</label><input id="wallet" name="wallet" required maxlength="42" placeholder="0x…" autocomplete="off" autocapitalize="off" spellcheck="false">`)}
</details>
<div id="signed" hidden>${renderProof('', '', html`<input type="hidden" name="signature">`)}</div>
</section>`

export const renderSignature = (
  wallet: string,
  { message, nonce }: { message: string; nonce: string },
): Html =>
  html`<section id="proof">
<h2>Sign this message</h2>
<p>Sign exactly this text with your wallet (“sign message”, <code>personal_sign</code>) within five minutes.</p>
<pre class="command">${message}</pre>
${renderProof(wallet, nonce, html`<label for="signature">The signature</label><textarea id="signature" name="signature" required rows="4" placeholder="0x…" autocomplete="off" spellcheck="false"></textarea>`)}
</section>`

/** What a person can do with their passport. */
export function renderOwn({ id, hidden }: Subject, csrf: string): Html {
  const form = (action: string, button: string, fields = html``, look = '') =>
    renderForm(action, button, html`<input type="hidden" name="csrf" value="${csrf}">${fields}`, look)
  return html`<section id="own">
<h2>Your passport</h2>
<p>You have shown that ${hidden ? html`passport ${id}` : html`<a href="/passports/${id}">passport ${id}</a>`} is yours. ${hidden ? 'It is hidden.' : 'Everybody can see it.'}</p>
<p><a class="button" href="/me/passport.json" download>Download everything</a></p>
</section>
<section id="visibility">
<h2>${hidden ? 'Show it' : 'Hide it'}</h2>
<p>${hidden ? 'The passport appears again on all pages and in all lists.' : 'The passport disappears from all pages, lists and API responses. You can show it again at any time.'}</p>
${hidden ? form('show', 'Show my passport') : form('hide', 'Hide my passport')}
</section>
<section id="correction">
<h2>Ask for a correction</h2>
${form('request', 'Send', html`<label for="text">What is wrong, and what is right?</label><textarea id="text" name="text" required rows="4" maxlength="${LONGEST_REQUEST}"></textarea>`)}
</section>
<section id="removal">
<h2>Remove it for good</h2>
<p>This deletes the record, its history and your requests. It cannot be undone.</p>
${form('remove', 'Remove my passport', html`<label for="confirmation">Type “${CONFIRMATION}” to confirm</label><input id="confirmation" name="confirmation" required autocomplete="off" autocapitalize="off">`)}
</section>
${form('leave', 'Sign out', html``, 'quiet')}`
}
