import type { Passport } from '../../core/passport/passport.ts'
import { type Html, html } from '../../ui/html.ts'
import { renderPeople } from '../../ui/rosette.ts'
import type { Site } from '../../ui/site.ts'
import { renderAddress } from '../../ui/text.ts'
import { LONGEST_REQUEST, type Subject } from './subject.ts'

/** What a person types to confirm a removal. */
export const CONFIRMATION = 'remove'

/** `person` is the passport whose page led here. */
export const renderMe = (site: Site, notice: string, step: Html, person?: Passport): Html => html`
<div class="cover">
<h1>Is this you?</h1>
<p class="lead">You can see everything that is stored in your passport, hide it, have it corrected, or remove it.
${person ? 'First show that the passport is yours.' : FIND_FIRST}</p>
${person && renderPeople([person], (id) => `/passports/${id}`)}
</div>
${notice !== '' && html`<p class="notice" role="status">${notice}</p>`}
<div class="columns">
<div>${step}
${section('other-ways', 'Without such a wallet', renderOtherWays(site))}</div>
<div>${section('stored', 'What is stored', STORED)}</div>
</div>`

const FIND_FIRST = html`<a href="/">Find your passport</a> first: its page shows its wallets.`

function renderOtherWays({ contact, owner = 'the operator' }: Site): Html {
  const person =
    contact === undefined
      ? html`<a href="/about#you">Ask ${owner}</a>`
      : html`Write to ${renderAddress(contact.replace(/^mailto:/, ''))}`
  return html`<p>Contract wallets and wallets of other chains cannot be checked here. ${person} instead.</p>`
}

const STORED = html`<p><strong>What:</strong> the name, text, place, tags, accounts and wallets of your record, the
facts that earn points, your score and its changes, and requests that you send here.</p>
<p><strong>Who sees it:</strong> everybody sees the passport page, and programs read the same over the API. Only you and
the operator see requests, and a passport that is hidden.</p>
<p><strong>How long:</strong> until you or the operator remove it. A request is deleted when it is done, and a session
after one hour. A session stores neither your wallet nor your name.</p>
<p><strong>After a removal</strong> only the passport number and a fingerprint of the wallets stay, so that a later
import does not bring the record back. Backups keep older data until the operator deletes them.</p>`

const section = (id: string, title: string, body: Html): Html =>
  html`<section id="${id}">\n<h2>${title}</h2>\n${body}\n</section>\n`

const renderForm = (
  action: string,
  button: string,
  fields: Html,
  look = '',
) => html`<form class="stack" method="post">
${hiddenField('action', action)}${fields}
<p><button class="${look}">${button}</button></p>
</form>`

const hiddenField = (name: string, value = '') => html`<input type="hidden" name="${name}" value="${value}">`

/** The first step. The script adds a button for each wallet of the browser, and fills the hidden form. */
export const renderProof = (wallet = ''): Html => html`<section id="proof">
<h2>Show that a wallet is yours</h2>
<p>Sign a message with a wallet of your passport. It is a proof, not a transaction: it costs nothing, and nothing can be
paid with it.</p>
<p id="wallets" class="row" hidden></p>
<p id="trouble" class="notice" role="alert" hidden></p>
<details id="by-hand" open>
<summary>With any wallet, in three steps</summary>
<ol>
<li>Type the address of a wallet that your passport lists.</li>
<li>The next page shows a text. Sign it in your wallet (“sign message”).</li>
<li>Paste the signature there.</li>
</ol>
${renderForm('challenge', 'Show the message', renderWalletField(wallet))}
</details>
<div id="signed" hidden>
${renderForm('session', 'Continue', html`${['wallet', 'nonce', 'signature'].map((name) => hiddenField(name))}`)}
</div>
</section>`

const renderWalletField = (wallet: string) => html`<label for="wallet">Your wallet</label>
<input id="wallet" name="wallet" value="${wallet}" required maxlength="42" placeholder="0x…" autocomplete="off"
autocapitalize="off" spellcheck="false">`

/** The second step, without a wallet in the browser. */
export const renderSignature = (wallet: string, challenge: { message: string; nonce: string }): Html =>
  html`<section id="proof">
<h2>Sign this message</h2>
<p>Sign exactly this text with your wallet (“sign message”, <code>personal_sign</code>) within five minutes.</p>
<div class="copyable" data-copy="message"><pre><code>${challenge.message}</code></pre></div>
${renderForm('session', 'Continue', renderSignatureFields(wallet, challenge.nonce))}
</section>`

const renderSignatureFields = (wallet: string, nonce: string) => html`${hiddenField('wallet', wallet)}
${hiddenField('nonce', nonce)}
<label for="signature">The signature</label>
<textarea id="signature" name="signature" required rows="4" placeholder="0x…" autocomplete="off"
spellcheck="false"></textarea>`

/** What a person can do with their passport. */
export function renderOwn({ id, hidden }: Subject, csrf: string): Html {
  const form = (action: string, button: string, fields = html``, look = '') =>
    renderForm(action, button, html`${hiddenField('csrf', csrf)}${fields}`, look)
  const passport = hidden ? html`passport ${id}` : html`<a href="/passports/${id}">passport ${id}</a>`
  const state = hidden ? 'It is hidden.' : 'Everybody can see it.'
  const own = html`<p>You have shown that ${passport} is yours. ${state}</p>
<p><a class="button" href="/me/passport.json" download>Download everything</a></p>`
  const visibility = hidden
    ? html`${ABOUT_SHOWING}${form('show', 'Show my passport')}`
    : html`${ABOUT_HIDING}${form('hide', 'Hide my passport')}`
  const removal = html`${ABOUT_REMOVAL}${form('remove', 'Remove my passport', CONFIRM_FIELD)}`
  return html`${section('own', 'Your passport', own)}
${section('visibility', hidden ? 'Show it' : 'Hide it', visibility)}
${section('correction', 'Ask for a correction', form('request', 'Send', REQUEST_FIELD))}
${section('removal', 'Remove it for good', removal)}
${form('leave', 'Sign out', html``, 'quiet')}`
}

const ABOUT_SHOWING = html`<p>The passport appears again on all pages and in all lists.</p>`

const ABOUT_HIDING = html`<p>The passport disappears from all pages, lists and API responses. You can show it again at
any time.</p>`

const ABOUT_REMOVAL = html`<p>This deletes the record, its history and your requests. It cannot be undone.</p>`

const REQUEST_FIELD = html`<label for="text">What is wrong, and what is right?</label>
<textarea id="text" name="text" required rows="4" maxlength="${LONGEST_REQUEST}"></textarea>`

const CONFIRM_FIELD = html`<label for="confirmation">Type “${CONFIRMATION}” to confirm</label>
<input id="confirmation" name="confirmation" required autocomplete="off" autocapitalize="off">`
