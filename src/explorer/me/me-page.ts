import * as sessions from '../../api/me/wallet-sessions.ts'
import { publicOriginOf, queryOf } from '../../api/parse-request.ts'
import { sendPage } from '../../api/rendered-page.ts'
import { type Context, PAGE, type Route, type RouteRequest, route } from '../../api/route.ts'
import { readBody } from '../../api/v3/request-body.ts'
import { ServiceError, STATUS_OF } from '../../domain/errors.ts'
import { sha256 } from '../../domain/proof/canonical-json.ts'
import { type Html, html } from '../design/html.ts'
import { withoutCaching } from '../site/assets-and-csp.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'
import { respondPage } from '../site/layout-and-link-previews.ts'
import { CONFIRMATION, NOTICES, renderMe, renderOwn, renderProof, renderSignature } from './me-sections.ts'

/** What forms of a signed-in person do. The names are the values of the field `action`. */
const CHANGES: Readonly<Record<string, (call: sessions.Call) => Promise<unknown>>> = {
  ...{ hide: sessions.hideOrShow, show: sessions.hideOrShow, request: sessions.requestCorrection },
  ...{ remove: sessions.removeRecord, leave: sessions.endSession },
}

/** Browsers send the origin of forms only with this policy. The last policy of a page holds. */
const SEND_ORIGIN = html`<meta name="referrer" content="same-origin">`

/** The page on which people change their own record. Only POST changes something. */
export const createMeRoutes = ({ site }: ExplorerOptions): Route[] => {
  async function show(request: RouteRequest, context: Context, notice = '', status = 200, step?: Html) {
    const token = tokenOf(request)
    const subject = await sessions.findSubject(context, token)
    const own = subject ? renderOwn(subject, csrfOf(token)) : renderProof()
    const about = { title: 'Is this you?', description: 'See, hide, correct or remove your own record' }
    const main = renderMe(site, notice, step ?? own)
    const page = respondPage({ ...about, site, script: 'me.js', head: SEND_ORIGIN, main }, status)
    return sendPage(request, context, withoutCaching(page))
  }

  async function act(request: RouteRequest, context: Context): Promise<Response> {
    checkSameOrigin(request, site.origin)
    const { bytes } = await readBody(request, context, ['application/x-www-form-urlencoded'])
    const form = new URLSearchParams(bytes.toString())
    const field = (name: string) => form.get(name) ?? ''
    const [action, wallet, token] = [field('action'), field('wallet'), tokenOf(request)]
    const proof = { wallet, nonce: field('nonce'), signature: field('signature') }
    const call = {
      request,
      context,
      token,
      body: { ...proof, hidden: action === 'hide', text: field('text') },
    }
    const redirect = (path: string, cookie?: string) => redirectTo(path, context, site.origin, cookie)
    try {
      if (action === 'challenge') {
        const step = renderSignature(wallet, await sessions.createChallenge(call))
        return await show(request, context, '', 200, step)
      }
      if (action === 'session') return redirect('/me', (await sessions.openSession(call)).token)
      const change = Object.hasOwn(CHANGES, action) && CHANGES[action]
      if (!change || field('csrf') !== csrfOf(token)) throw foreignForm()
      if (action === 'remove' && field('confirmation').trim().toLowerCase() !== CONFIRMATION)
        throw new ServiceError('invalid_request', `Nothing was removed: type “${CONFIRMATION}” to confirm.`)
      await change(call)
      return redirect(`/me?done=${action}`, action === 'remove' || action === 'leave' ? '' : undefined)
    } catch (error) {
      if (!(error instanceof ServiceError) || STATUS_OF[error.code] >= 429) throw error
      return show(request, context, NOTICES[error.code] ?? error.message, STATUS_OF[error.code])
    }
  }

  const ME = { path: '/me', name: 'explorer' }
  const get = (request: RouteRequest, context: Context) =>
    show(request, context, NOTICES[queryOf(request).get('done') ?? ''])
  return [
    route(PAGE, { ...ME, handle: get }),
    route(PAGE, { ...ME, methods: ['POST'], handle: act }),
    route(PAGE, { ...ME, path: '/me/passport.json', units: 4, handle: download }),
  ]
}

async function download(request: RouteRequest, context: Context): Promise<Response> {
  const call = { request, context, token: tokenOf(request), body: {} as sessions.Call['body'] }
  const response = new Response(JSON.stringify(await sessions.exportRecord(call), null, 2), context)
  response.headers.delete('Access-Control-Allow-Origin')
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('Content-Disposition', 'attachment; filename="passport.json"')
  return response
}

const tokenOf = ({ headers }: Request) =>
  /(?:^|; )passportd_me=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? ''

/** Scripts cannot read the cookie, and other sites cannot send it. An empty one is deleted. */
function redirectTo(path: string, { headers }: Context, publicUrl: string, cookie?: string): Response {
  const response = new Response(null, { status: 303, headers })
  response.headers.set('Location', path)
  response.headers.set('Cache-Control', 'no-store')
  const seconds = cookie === '' ? 0 : sessions.SESSION_MILLISECONDS / 1000
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const attributes = `Path=/me; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
  if (cookie !== undefined) response.headers.set('Set-Cookie', `passportd_me=${cookie}; ${attributes}`)
  return response
}

const foreignForm = () =>
  new ServiceError(
    'forbidden',
    'This form is not one of your page and session: reload the page, and try again.',
  )

/** Browsers that send neither header are refused. */
function checkSameOrigin(request: Request, publicUrl: string): void {
  const [site, origin] = [request.headers.get('sec-fetch-site'), request.headers.get('origin')]
  const isSame = site === null ? origin === publicOriginOf(request, publicUrl) : site === 'same-origin'
  if (!isSame) throw foreignForm()
}

/** Only pages of the session have this token. */
const csrfOf = (token: string) => sha256(`csrf ${token}`)
