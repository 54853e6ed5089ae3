import { readBody } from '../../core/api/request-body.ts'
import { sha256 } from '../../core/basics/canonical-json.ts'
import { ServiceError, STATUS_OF } from '../../core/basics/errors.ts'
import { publicOriginOf, queryOf } from '../../core/http/parse-request.ts'
import { sendPage } from '../../core/http/rendered-page.ts'
import { type Context, PAGE, type Route, type RouteRequest, route } from '../../core/http/route.ts'
import { findFullPassport } from '../../core/reads/passports.ts'
import { createScript, PARTS, withoutCaching } from '../../ui/assets-and-csp.ts'
import { type Html, html } from '../../ui/html.ts'
import { respondPage } from '../../ui/layout.ts'
import type { ExplorerOptions } from '../../ui/page.ts'
import script from './me.client.ts?text' with { type: 'text' }
import { CONFIRMATION, renderMe, renderOwn, renderProof, renderSignature } from './me-sections.ts'
import * as sessions from './wallet-sessions.ts'

/** What forms of a signed-in person do, by the field `action`, and what the page says then. */
const CHANGES = new Map<string | null, { change: (call: sessions.Call) => Promise<unknown>; notice: string }>(
  [
    ['hide', { change: sessions.hideOrShow, notice: 'Your passport is hidden.' }],
    ['show', { change: sessions.hideOrShow, notice: 'Your passport is visible again.' }],
    ['request', { change: sessions.requestCorrection, notice: 'Your request was sent to the operator.' }],
    ['remove', { change: sessions.removeRecord, notice: 'Your passport was removed.' }],
    ['leave', { change: sessions.endSession, notice: 'You are signed out.' }],
  ],
)

/** The words for people, by the code of an error or the field that it names first. */
const PROBLEMS: Record<string, string> = {
  unauthorized: 'Your session has ended. Show again that a wallet is yours.',
  wallet: 'This is not the address of an Ethereum wallet: 0x, and 40 digits or letters from a to f.',
  signature: 'This is not a signature. Show the message again, sign it, and paste the whole result.',
}

/** Browsers send the origin of forms only with this policy. The last policy of a page holds. */
const SEND_ORIGIN = html`<meta name="referrer" content="same-origin">`

export const ME_SCRIPT = createScript('me.js', PARTS.share, script)

const PAGE_OF_ME = {
  ...{ title: 'Is this you?', description: 'See, hide, correct or remove your own record' },
  ...({ share: { path: '/me' }, script: ME_SCRIPT, head: SEND_ORIGIN } as const),
}

/** The page on which people change their own record. Only POST changes something. */
export const createMeRoutes = ({ site, store }: ExplorerOptions): Route[] => {
  async function show(request: RouteRequest, context: Context, notice = '', status = 200, step?: Html) {
    const token = tokenOf(request)
    const subject = await sessions.findSubject(context, token)
    const wallet = /^0x[\da-f]{40}$/i.exec(queryOf(request).get('wallet') ?? '')?.[0]
    const ref = wallet && !subject ? { wallet: wallet.toLowerCase() } : undefined
    const own = subject ? renderOwn(subject, csrfOf(token)) : renderProof(wallet)
    const main = renderMe(site, notice, step ?? own, ref && (await findFullPassport({ store }, ref)))
    const origin = publicOriginOf(request, site.origin)
    const page = respondPage({ ...PAGE_OF_ME, site: { ...site, origin }, main }, status)
    return sendPage(request, context, withoutCaching(page))
  }

  async function act(request: RouteRequest, context: Context): Promise<Response> {
    if (!isSameOrigin(request, site.origin)) throw new ServiceError('forbidden', FOREIGN)
    const { bytes } = await readBody(request, context, ['application/x-www-form-urlencoded'])
    const form = new URLSearchParams(bytes.toString())
    const field = (name: string) => form.get(name) ?? ''
    const [action, wallet, token] = [field('action'), field('wallet'), tokenOf(request)]
    const proof = { wallet, nonce: field('nonce'), signature: field('signature') }
    const body = { ...proof, hidden: action === 'hide', text: field('text') }
    const call = { request, context, token, body }
    const isSecure = publicOriginOf(request, site.origin).startsWith('https:')
    try {
      if (action === 'challenge') {
        const step = renderSignature(wallet, await sessions.createChallenge(call))
        return await show(request, context, '', 200, step)
      }
      if (action === 'session') return redirectTo('/me', isSecure, (await sessions.openSession(call)).token)
      const entry = CHANGES.get(action)
      if (!entry || field('csrf') !== csrfOf(token)) throw new ServiceError('forbidden', FOREIGN)
      if (action === 'remove' && field('confirmation').trim().toLowerCase() !== CONFIRMATION)
        throw new ServiceError('invalid_request', `Nothing was removed: type “${CONFIRMATION}” to confirm.`)
      await entry.change(call)
      return redirectTo(`/me?done=${action}`, isSecure, ['remove', 'leave'].includes(action) ? '' : undefined)
    } catch (error) {
      if (!(error instanceof ServiceError) || STATUS_OF[error.code] >= 429) throw error
      const words = PROBLEMS[error.code] ?? PROBLEMS[error.message.split(' ', 1)[0] ?? '']
      const step = wallet === '' ? undefined : renderProof(wallet)
      return show(request, context, words ?? error.message, STATUS_OF[error.code], step)
    }
  }

  const ME = { path: '/me', name: 'explorer' }
  const get = (request: RouteRequest, context: Context) =>
    show(request, context, CHANGES.get(queryOf(request).get('done'))?.notice)
  return [
    route(PAGE, { ...ME, handle: get }),
    route(PAGE, { ...ME, methods: ['POST'], handle: act }),
    route(PAGE, { ...ME, path: '/me/passport.json', units: 4, handle: download }),
  ]
}

async function download(request: RouteRequest, context: Context): Promise<Response> {
  const call = { request, context, token: tokenOf(request), body: {} as sessions.Call['body'] }
  const file = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' }
  const attachment = { 'Content-Disposition': 'attachment; filename="passport.json"' }
  const headers = { ...file, ...attachment, 'Cache-Control': 'no-store' }
  return new Response(JSON.stringify(await sessions.exportRecord(call), null, 2), { headers })
}

const tokenOf = ({ headers }: Request) =>
  /(?:^|; )passportd_me=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''

/** Scripts cannot read the cookie, and other sites cannot send it. An empty one is deleted. */
function redirectTo(path: string, isSecure: boolean, cookie?: string): Response {
  const seconds = cookie === '' ? 0 : sessions.SESSION_MILLISECONDS / 1000
  const attributes = `Path=/me; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
  const headers = new Headers({ Location: path, 'Cache-Control': 'no-store' })
  if (cookie !== undefined) headers.set('Set-Cookie', `passportd_me=${cookie}; ${attributes}`)
  return new Response(null, { status: 303, headers })
}

const FOREIGN = 'This form is not one of your page and session: reload the page, and try again.'

/** Browsers that send neither header are refused. */
function isSameOrigin(request: Request, publicUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  return request.headers.get('origin') === publicOriginOf(request, publicUrl)
}

/** Only pages of the session have this token. */
const csrfOf = (token: string) => sha256(`csrf ${token}`)
