import { Compile } from 'typebox/schema'
import { WRITTEN } from '../../core/api/examples.ts'
import { readValid } from '../../core/api/request-body.ts'
import { V3 } from '../../core/api/surface.ts'
import { WriteResult } from '../../core/api/write-schemas.ts'
import { EXAMPLE } from '../../core/http/openapi-parts.ts'
import { type DocumentedRoute, type Route, route } from '../../core/http/route.ts'
import * as schemas from './schemas.ts'
import * as sessions from './wallet-sessions.ts'

type Description = Pick<DocumentedRoute, 'id' | 'summary' | 'response' | 'bodyExample' | 'example' | 'access'>

/** Declares a route below `/api/v3/me`. Its responses are not cached. */
function me(
  [method = '', path = '']: readonly string[],
  run: (call: sessions.Call) => Promise<object>,
  { body, ...description }: Description & Pick<Route, 'body'>,
): Route {
  const schema = body && Compile(body)
  return route(V3, {
    ...{ access: 'session', units: 4, ...description, ...(body && { body }) },
    ...{ name: `v3_${description.id}`, path: `/api/v3/me${path}`, methods: [method] },
    ...{ responseHeaders: ['NoStore'], errors: ['not_found', 'unsupported_media_type'] },
    async handle(request, context) {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
      const sent = (schema ? await readValid(request, context, schema) : {}) as sessions.Call['body']
      const result = await run({ request, context, token, body: sent })
      const response = new Response(JSON.stringify(result), { headers: context.headers })
      response.headers.set('Cache-Control', 'no-store')
      return response
    },
  })
}

const { id: passport_id, mainWallet: wallet } = EXAMPLE
const [nonce, expires_at] = ['9f2c61d0b7e84a35a1c0d2e4f6981b3c', '2026-11-02T09:23:56.019Z']
const SIGNED = { wallet, nonce, signature: `0x${'5c'.repeat(64)}1b` }
const CHALLENGE = { message: 'example.com wants you to sign in with ...', nonce, expires_at }
const SESSION = { token: `${wallet}.kq3nWb7Yt0sVdJ2uCeXoLhR5fGaP9mZiT1yE6xNwB4U`, passport_id, expires_at }
const WRITE = { response: WriteResult, example: WRITTEN }

/** What the person of a passport may do after proving one of its wallets. */
export const ME_ROUTES = [
  me(['POST', '/challenge'], sessions.createChallenge, {
    ...{ id: 'challengeWallet', summary: 'Get a message to sign within five minutes', access: 'anyone' },
    ...{ body: schemas.ChallengeRequest, bodyExample: { wallet } },
    ...{ response: schemas.Challenge, example: CHALLENGE },
  }),
  me(['POST', '/session'], sessions.openSession, {
    ...{ id: 'openSession', summary: 'Prove a wallet, and get a token for one hour', access: 'anyone' },
    ...{ body: schemas.SessionRequest, bodyExample: SIGNED },
    ...{ response: schemas.Session, example: SESSION },
  }),
  me(['GET'], sessions.exportRecord, {
    ...{ id: 'exportOwnRecord', summary: 'Export everything that is stored about you' },
    ...{ response: schemas.SubjectRecord, example: { passports: [{}] } },
  }),
  me(['PATCH'], sessions.hideOrShow, {
    ...{ id: 'hideOwnRecord', summary: 'Hide or show your passport', ...WRITE },
    ...{ body: schemas.SubjectPatch, bodyExample: { hidden: true } },
  }),
  me(['DELETE'], sessions.removeRecord, {
    ...{ id: 'removeOwnRecord', summary: 'Remove your passport for good', ...WRITE },
  }),
  me(['POST', '/requests'], sessions.requestCorrection, {
    ...{ id: 'requestCorrection', summary: 'Ask the operator for a correction' },
    ...{ body: schemas.CorrectionRequest, bodyExample: { text: 'I live in Porto.' } },
    ...{ response: schemas.Correction, example: { id: '5f0c2a9d81e3', created_at: expires_at } },
  }),
]
