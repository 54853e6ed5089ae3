import { randomBytes } from 'node:crypto'
import { invalidBody } from '../../core/api/request-body.ts'
import { sha256 } from '../../core/basics/canonical-json.ts'
import { notFound, ServiceError } from '../../core/basics/errors.ts'
import { isoTime } from '../../core/basics/text/instant.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { formatEventCursor } from '../../core/history/event-cursor.ts'
import { trustedOriginOf } from '../../core/http/parse-request.ts'
import type { Context } from '../../core/http/route.ts'
import { isStorable } from '../../core/passport/passport.ts'
import { SUBJECTS } from '../../core/store/sql/passports.ts'
import { EXPORTS } from '../privacy/subject-statements.ts'
import { PROOFS, REQUESTS } from './statements.ts'
import { LONGEST_REQUEST, type Subject } from './subject.ts'
import * as proof from './wallet-proof.ts'

/** A request of a person, from the API or a form. `body` has at least the fields that the called function reads. */
export type Call = { request: Request; context: Context; token: string; body: Body }
type Body = { wallet: string; nonce: string; signature: string; hidden: boolean; text: string }

export const SESSION_MILLISECONDS = 3_600_000

/** The purpose is part of the hash, so that a challenge cannot be used as a session. */
const challengeId = (wallet: string, nonce: string) => sha256(`challenge ${wallet} ${nonce}`)
const sessionId = (token: string) => sha256(`session ${token}`)

/** Does not say whether a passport has the wallet, because nobody else may know that of a hidden one. */
export async function createChallenge({ request, context, body }: Call) {
  const wallet = proof.parseProvableWallet(body.wallet)
  const origin = trustedOriginOf(request, context)
  if (origin === undefined)
    throw invalidBody('The operator has to set PUBLIC_URL: the requested address may be forged.')
  context.limiter.consumeFixed('proofs', context.address())
  const [nonce, now] = [randomBytes(16).toString('hex'), context.now()]
  const { message, digest } = await proof.writeChallenge({ origin, wallet, nonce, now })
  const expiresAt = now + proof.CHALLENGE_MILLISECONDS
  await context.store.data(PROOFS).add({ id: challengeId(wallet, nonce), digest, expiresAt }, now)
  return { message, nonce, expires_at: isoTime(expiresAt) }
}

/** Opens a session of one hour. The challenge is deleted before the signature is verified, so it works once. */
export async function openSession({ context, body }: Call) {
  const { store, contact = '' } = context
  const wallet = proof.parseProvableWallet(body.wallet)
  const signature = proof.parseSignature(body.signature)
  context.limiter.consumeFixed('proofs', context.address())
  const now = context.now()
  const digest = await store.data(PROOFS).take(challengeId(wallet, body.nonce), now)
  if (!digest) throw refused('The challenge is unknown, has expired or was used already')
  if (!(await proof.isSignedBy(wallet, digest, signature)))
    throw refused('The signature is not one of this wallet for exactly the message of the challenge')
  const person = await store.data(SUBJECTS).find(wallet)
  const help = contact && ` Contact of the operator: ${contact.replace(/^mailto:/, '')}`
  if (!person) throw notFound(`No passport here has the wallet ${wallet}.${help}`)
  // The token names the wallet, so that the database does not have to.
  const token = `${wallet}.${randomBytes(32).toString('base64url')}`
  const expiresAt = now + SESSION_MILLISECONDS
  await store.data(PROOFS).add({ id: sessionId(token), digest: '', expiresAt }, now)
  return { token, passport_id: person.id, expires_at: isoTime(expiresAt) }
}

const refused = (reason: string) =>
  new ServiceError('forbidden', `${reason}: request a new challenge, and sign its message.`)

/** The person of a session; `undefined` if it has ended, or if the wallet has no passport any more. */
export async function findSubject({ store, now }: Context, token: string): Promise<Subject | undefined> {
  const wallet = /^(0x[0-9a-f]{40})\.[\w-]{43}$/.exec(token)?.[1]
  const isOpen = wallet !== undefined && (await store.data(PROOFS).isValid(sessionId(token), now()))
  return isOpen ? store.data(SUBJECTS).find(wallet) : undefined
}

async function getSubject({ context, token }: Call): Promise<Subject> {
  const subject = await findSubject(context, token)
  if (subject) return subject
  const detail = 'Authorization must be Bearer and the token of a session: POST /api/v3/me/session opens one.'
  const headers = { 'WWW-Authenticate': 'Bearer realm="passportd"' }
  throw new ServiceError('unauthorized', detail, { headers, members: { detail } })
}

export const exportRecord = async (call: Call) =>
  (await call.context.store.data(EXPORTS).export((await getSubject(call)).id)) ?? { passports: [] }

export async function hideOrShow(call: Call) {
  const [{ id }, { store, now, limiter }] = [await getSubject(call), call.context]
  limiter.consumeFixed('changes', id)
  return { cursor: formatEventCursor(await store.passports.hide(id, call.body.hidden, now(), 'subject')) }
}

export async function removeRecord(call: Call) {
  const [{ id }, { store, now }] = [await getSubject(call), call.context]
  const cursor = formatEventCursor(await store.passports.remove(id, now(), 'subject'))
  await endSession(call)
  return { cursor }
}

export const endSession = async ({ context, token }: Call) =>
  void (await context.store.data(PROOFS).take(sessionId(token), context.now()))

export async function requestCorrection(call: Call) {
  const { text } = call.body
  const passport_id = (await getSubject(call)).id
  if (text.trim() === '' || text.length > LONGEST_REQUEST || !isStorable(text))
    throw invalidBody(`A request is a text of 1 to ${LONGEST_REQUEST} characters, got ${quote(text)}.`)
  const [id, created_at] = [randomBytes(6).toString('hex'), call.context.now()]
  await call.context.store.data(REQUESTS).add({ id, passport_id, text, created_at })
  return { id, created_at: isoTime(created_at) }
}
