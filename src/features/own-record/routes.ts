import { Compile } from 'typebox/schema'
import { readValid } from '../../core/api/request-body.ts'
import { WriteResult } from '../../core/api/schemas.ts'
import { V3 } from '../../core/api/surface.ts'
import { type DocumentedRoute, type Route, route } from '../../core/http/route.ts'
import * as schemas from './schemas.ts'
import * as sessions from './wallet-sessions.ts'

type Description = Pick<DocumentedRoute, 'id' | 'summary' | 'response' | 'access'>

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

/** What the person of a passport may do after proving one of its wallets. */
export const ME_ROUTES = [
  me(['POST', '/challenge'], sessions.createChallenge, {
    ...{ id: 'challengeWallet', summary: 'Get a message to sign within five minutes', access: 'anyone' },
    ...{ body: schemas.ChallengeRequest, response: schemas.Challenge },
  }),
  me(['POST', '/session'], sessions.openSession, {
    ...{ id: 'openSession', summary: 'Prove a wallet, and get a token for one hour', access: 'anyone' },
    ...{ body: schemas.SessionRequest, response: schemas.Session },
  }),
  me(['GET'], sessions.exportRecord, {
    ...{ id: 'exportOwnRecord', summary: 'Export everything that is stored about you' },
    response: schemas.SubjectRecord,
  }),
  me(['PATCH'], sessions.hideOrShow, {
    ...{ id: 'hideOwnRecord', summary: 'Hide or show your passport' },
    ...{ body: schemas.SubjectPatch, response: WriteResult },
  }),
  me(['DELETE'], sessions.removeRecord, {
    ...{ id: 'removeOwnRecord', summary: 'Remove your passport for good', response: WriteResult },
  }),
  me(['POST', '/requests'], sessions.requestCorrection, {
    ...{ id: 'requestCorrection', summary: 'Ask the operator for a correction' },
    ...{ body: schemas.CorrectionRequest, response: schemas.Correction },
  }),
]
