import { Compile } from 'typebox/schema'
import { notFound } from '../../domain/errors.ts'
import { formatEventCursor } from '../../domain/history/event-cursor.ts'
import * as schemas from '../../domain/v3/subject-schemas.ts'
import { WriteResult } from '../../domain/v3/write-schemas.ts'
import { type Context, type RouteRequest, route } from '../route.ts'
import { CHALLENGE, SESSION, WRITTEN } from '../v3/examples.ts'
import { readValid } from '../v3/request-body.ts'
import { V3 } from '../v3/route-defaults.ts'
import {
  createChallenge,
  findSubject,
  openSession,
  removeSubject,
  requestCorrection,
} from './wallet-sessions.ts'

const PROOF = { methods: ['POST'], access: 'anyone', responseHeaders: ['NoStore'] } as const
const OWN = { path: '/api/v3/me', access: 'session', responseHeaders: ['NoStore'] } as const
const WRITE = { ...OWN, units: 4, response: WriteResult, example: WRITTEN } as const

const challengeRequest = Compile(schemas.ChallengeRequest)
const sessionRequest = Compile(schemas.SessionRequest)
const patchRequest = Compile(schemas.SubjectPatch)
const correctionRequest = Compile(schemas.CorrectionRequest)

/** What the person of a passport may do after proving one of its wallets. */
export const ME_ROUTES = [
  route(V3, {
    ...PROOF,
    name: 'v3_me_challenge',
    path: '/api/v3/me/challenge',
    id: 'challengeWallet',
    summary: 'Get a message to sign',
    description:
      'The message is valid for five minutes and for one session. Wallets of Ethereum accounts can sign it.',
    body: schemas.ChallengeRequest,
    bodyExample: { wallet: SESSION.token.slice(0, 42) },
    response: schemas.Challenge,
    example: CHALLENGE,
    errors: ['unsupported_media_type'],
    async handle(request, context) {
      const { wallet } = await readValid<schemas.WireChallengeRequest>(request, context, challengeRequest)
      return send(context, await createChallenge(request, context, wallet))
    },
  }),
  route(V3, {
    ...PROOF,
    name: 'v3_me_session',
    path: '/api/v3/me/session',
    id: 'openSession',
    summary: 'Prove a wallet with a signature',
    description: 'Returns a token for one hour. A challenge works once, also if the signature is wrong.',
    body: schemas.SessionRequest,
    bodyExample: {
      wallet: SESSION.token.slice(0, 42),
      nonce: CHALLENGE.nonce,
      signature: `0x${'5c'.repeat(64)}1b`,
    },
    response: schemas.Session,
    example: SESSION,
    errors: ['not_found', 'unsupported_media_type'],
    async handle(request, context) {
      const sent = await readValid<schemas.WireSessionRequest>(request, context, sessionRequest)
      return send(context, await openSession(context, sent))
    },
  }),
  route(V3, {
    ...OWN,
    name: 'v3_me',
    methods: ['GET'],
    id: 'exportOwnRecord',
    summary: 'Export everything that is stored about you',
    units: 10,
    response: schemas.SubjectRecord,
    errors: ['not_found'],
    handle: async (request, context) =>
      send(context, await exportSubject(context, await findSubject(context, tokenOf(request)))),
  }),
  route(V3, {
    ...WRITE,
    name: 'v3_me_change',
    methods: ['PATCH'],
    id: 'hideOwnRecord',
    summary: 'Hide or show your passport',
    body: schemas.SubjectPatch,
    bodyExample: { hidden: true },
    errors: ['not_found', 'unsupported_media_type'],
    async handle(request, context) {
      const { id } = await findSubject(context, tokenOf(request))
      const { hidden } = await readValid<schemas.WireSubjectPatch>(request, context, patchRequest)
      const end = await context.store.passports.hide(id, hidden, context.now(), 'subject')
      return send(context, { cursor: formatEventCursor(end) })
    },
  }),
  route(V3, {
    ...WRITE,
    name: 'v3_me_remove',
    methods: ['DELETE'],
    id: 'removeOwnRecord',
    summary: 'Remove your passport for good',
    description:
      'Later records of the same passport or wallets are ignored, unless the operator allows them.',
    errors: ['not_found'],
    async handle(request, context) {
      const token = tokenOf(request)
      const end = await removeSubject(context, await findSubject(context, token), token)
      return send(context, { cursor: formatEventCursor(end) })
    },
  }),
  route(V3, {
    ...WRITE,
    name: 'v3_me_request',
    path: '/api/v3/me/requests',
    methods: ['POST'],
    id: 'requestCorrection',
    summary: 'Ask the operator for a correction',
    body: schemas.CorrectionRequest,
    bodyExample: { text: 'I live in Porto, not in Lisbon.' },
    response: schemas.Correction,
    example: { id: '5f0c2a9d81e3', created_at: CHALLENGE.expires_at },
    errors: ['not_found', 'unsupported_media_type'],
    async handle(request, context) {
      const subject = await findSubject(context, tokenOf(request))
      const { text } = await readValid<schemas.WireCorrectionRequest>(request, context, correctionRequest)
      return send(context, await requestCorrection(context, subject, text))
    },
  }),
]

const tokenOf = ({ headers }: RouteRequest) =>
  /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''

export async function exportSubject({ store }: Context, { id }: { id: number }): Promise<object> {
  const found = await store.subjects.export(id)
  if (!found) throw notFound()
  return found
}

function send({ headers }: Context, body: object): Response {
  const response = new Response(JSON.stringify(body), { headers })
  response.headers.set('Cache-Control', 'no-store')
  return response
}
