import { timingSafeEqual } from 'node:crypto'
import { exportSubject } from '../../api/me/routes.ts'
import {
  createChallenge,
  endSession,
  findSubject,
  openSession,
  removeSubject,
  requestCorrection,
  SESSION_MILLISECONDS,
} from '../../api/me/wallet-sessions.ts'
import { queryOf } from '../../api/parse-request.ts'
import { sendPage } from '../../api/rendered-page.ts'
import { type Context, PAGE, type Route, type RouteRequest, route } from '../../api/route.ts'
import { readBody } from '../../api/v3/request-body.ts'
import { ServiceError, STATUS_OF } from '../../domain/errors.ts'
import { sha256 } from '../../domain/proof/canonical-json.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Html } from '../design/html.ts'
import { withoutCaching } from '../site/assets-and-csp.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'
import { respondPage } from '../site/layout-and-link-previews.ts'
import {
  CONFIRMATION,
  DONE,
  renderMe,
  renderOwn,
  renderProof,
  renderSignature,
  SESSION_ENDED,
} from './me-sections.ts'

const COOKIE = 'passportd_me'

/** What people do with their own record. Only POST changes something. */
export const createMeRoutes = ({ site }: ExplorerOptions): Route[] => {
  const render = async (
    request: RouteRequest,
    context: Context,
    body: Html,
    { notice = '', status = 200 } = {},
  ) => {
    const main = renderMe(site, notice, body)
    const shown = { ...site, origin: context.originOf(request) }
    const page = respondPage(
      {
        site: shown,
        title: 'Is this you?',
        description: 'See, hide, correct or remove your own record',
        share: { path: '/me' },
        script: 'me.js',
        // Forms send their origin only with this policy.
        referrer: 'same-origin',
        main,
      },
      status,
    )
    const response = await sendPage(request, context, withoutCaching(page))
    response.headers.set('Referrer-Policy', 'same-origin')
    return response
  }

  const show = async (request: RouteRequest, context: Context, outcome = {}) => {
    const token = tokenOf(request)
    const subject = await findSignedIn(context, token)
    return render(request, context, subject ? renderOwn(subject, csrfOf(token)) : renderProof(), outcome)
  }

  async function act(request: RouteRequest, context: Context): Promise<Response> {
    checkSameOrigin(request, context)
    const { bytes } = await readBody(request, context, ['application/x-www-form-urlencoded'])
    const form = new URLSearchParams(bytes.toString())
    const field = (name: string) => form.get(name) ?? ''
    try {
      if (field('action') === 'challenge') {
        const wallet = field('wallet')
        const challenge = await createChallenge(request, context, wallet)
        return await render(request, context, renderSignature(wallet, challenge))
      }
      if (field('action') === 'session') {
        const [wallet, nonce, signature] = [field('wallet'), field('nonce'), field('signature')]
        const { token } = await openSession(context, { wallet, nonce, signature })
        return redirect(request, context, '/me', token)
      }
      const token = tokenOf(request)
      const subject = await findSubject(context, token)
      checkCsrf(field('csrf'), token)
      return await change(field, request, context, subject, token)
    } catch (error) {
      if (!(error instanceof ServiceError) || STATUS_OF[error.code] >= 429) throw error
      const notice = error.code === 'unauthorized' ? SESSION_ENDED : error.message
      return show(request, context, { notice, status: STATUS_OF[error.code] })
    }
  }

  return [
    route(PAGE, {
      path: '/me',
      name: 'explorer',
      handle: (request, context) =>
        show(request, context, { notice: DONE[queryOf(request).get('done') ?? ''] ?? '' }),
    }),
    route(PAGE, { path: '/me', name: 'explorer', methods: ['POST'], handle: act }),
    route(PAGE, { path: '/me/passport.json', name: 'explorer', units: 10, handle: download }),
  ]
}

/** Changes what the form of a signed-in person says. */
async function change(
  field: (name: string) => string,
  request: RouteRequest,
  context: Context,
  subject: Subject,
  token: string,
): Promise<Response> {
  const action = field('action')
  if (action === 'hide' || action === 'show')
    await context.store.passports.hide(subject.id, action === 'hide', context.now(), 'subject')
  else if (action === 'request') await requestCorrection(context, subject, field('text'))
  else if (action === 'remove') {
    if (field('confirmation').trim().toLowerCase() !== CONFIRMATION)
      throw new ServiceError('invalid_request', `Nothing was removed: type “${CONFIRMATION}” to confirm.`)
    await removeSubject(context, subject, token)
  } else if (action === 'leave') await endSession(context, token)
  else throw new ServiceError('invalid_request', 'The form has no known action: reload the page.')
  const isOver = action === 'remove' || action === 'leave'
  return redirect(request, context, `/me?done=${action}`, isOver ? '' : undefined)
}

async function download(request: RouteRequest, context: Context): Promise<Response> {
  const record = await exportSubject(context, await findSubject(context, tokenOf(request)))
  const response = new Response(JSON.stringify(record, null, 2), { headers: context.headers })
  response.headers.delete('Access-Control-Allow-Origin')
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('Content-Disposition', 'attachment; filename="passport.json"')
  return response
}

/** `undefined` if nobody is signed in. */
async function findSignedIn(context: Context, token: string): Promise<Subject | undefined> {
  try {
    return token === '' ? undefined : await findSubject(context, token)
  } catch (error) {
    if (error instanceof ServiceError && STATUS_OF[error.code] < 429) return undefined
    throw error
  }
}

const tokenOf = ({ headers }: Request) =>
  new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(headers.get('cookie') ?? '')?.[1] ?? ''

/** Scripts cannot read the cookie, and other sites cannot send it. An empty token deletes it. */
function redirect(request: Request, { headers, originOf }: Context, path: string, token?: string): Response {
  const response = new Response(null, { status: 303, headers })
  response.headers.set('Location', path)
  response.headers.set('Cache-Control', 'no-store')
  const seconds = token === '' ? 0 : SESSION_MILLISECONDS / 1000
  const secure = originOf(request).startsWith('https:') ? '; Secure' : ''
  if (token !== undefined)
    response.headers.set(
      'Set-Cookie',
      `${COOKIE}=${token}; Path=/me; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`,
    )
  return response
}

/** Throws `forbidden` unless a page of this service sent the form. Browsers without both headers are refused, too. */
function checkSameOrigin(request: Request, { originOf }: Context): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  if (site === null ? origin === originOf(request) : site === 'same-origin') return
  throw new ServiceError(
    'forbidden',
    'This form was not sent by a page of this site: open /me, and send it from there.',
  )
}

/** Only pages for the session have this token. */
const csrfOf = (token: string) => sha256(`csrf ${token}`)

function checkCsrf(given: string, token: string): void {
  if (timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(csrfOf(token))))) return
  throw new ServiceError(
    'forbidden',
    'The form is not one of this session: reload the page, and send it again.',
  )
}
