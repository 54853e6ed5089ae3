import { randomBytes } from 'node:crypto'
import { notFound, ServiceError } from '../../domain/errors.ts'
import { isStorable } from '../../domain/passport.ts'
import { sha256 } from '../../domain/proof/canonical-json.ts'
import {
  CHALLENGE_MILLISECONDS,
  isSignedBy,
  parseProvableWallet,
  parseSignature,
  writeChallenge,
} from '../../domain/proof/wallet-proof.ts'
import { LONGEST_REQUEST, type Subject } from '../../domain/subject.ts'
import { quote } from '../../domain/text/quote.ts'
import type { WireSessionRequest } from '../../domain/v3/subject-schemas.ts'
import type { Context } from '../route.ts'
import { invalidBody } from '../v3/request-body.ts'

export const SESSION_MILLISECONDS = 3_600_000

/** The purpose is part of the hash, so that no challenge can be used as a session. */
const challengeId = (wallet: string, nonce: string) => sha256(`challenge ${wallet} ${nonce}`)
const sessionId = (token: string) => sha256(`session ${token}`)

/** Does not say whether a passport has the wallet: that of a hidden one must stay unknown. Throws `rate_limited`. */
export async function createChallenge(request: Request, context: Context, given: string) {
  const wallet = parseProvableWallet(given)
  const origin = provenOrigin(request, context)
  await context.limitProofs(wallet)
  const nonce = randomBytes(16).toString('hex')
  const now = context.now()
  const { message, digest } = await writeChallenge({ origin, wallet, nonce, now })
  const expiresAt = now + CHALLENGE_MILLISECONDS
  await context.store.proofs.add({ id: challengeId(wallet, nonce), digest, expiresAt }, now)
  return { message, nonce, expires_at: new Date(expiresAt).toISOString() }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The origin in the message. Without PUBLIC_URL it comes from `Host`, which another site could forge. */
function provenOrigin(request: Request, { originOf, publicUrl }: Context): string {
  const origin = originOf(request)
  if (publicUrl !== '' || LOOPBACK.test(URL.parse(origin)?.hostname ?? '')) return origin
  throw new ServiceError(
    'invalid_request',
    `Wallets can be proved only at the public address of the service: the operator has to set PUBLIC_URL, got the host ${quote(request.headers.get('host'))}.`,
  )
}

/** Opens a session of one hour. The challenge is deleted before the signature is verified, so it works once. */
export async function openSession(context: Context, sent: WireSessionRequest) {
  const { store, now } = context
  const wallet = parseProvableWallet(sent.wallet)
  const signature = parseSignature(sent.signature)
  await context.limitProofs(wallet)
  const digest = await store.proofs.take(challengeId(wallet, sent.nonce), now())
  if (!digest)
    throw refused('The challenge of this wallet and nonce is unknown, has expired or was used already')
  if (!(await isSignedBy(wallet, digest, signature)))
    throw refused('The signature is not one of this wallet for exactly the message of the challenge')
  const { id } = await findPassport(context, wallet)
  // The token names the wallet, so that the database does not have to.
  const token = `${wallet}.${randomBytes(32).toString('base64url')}`
  const expiresAt = now() + SESSION_MILLISECONDS
  await store.proofs.add({ id: sessionId(token), digest: '', expiresAt }, now())
  return { token, passport_id: id, expires_at: new Date(expiresAt).toISOString() }
}

const refused = (reason: string) =>
  new ServiceError('forbidden', `${reason}: request a new challenge, and sign its message.`)

/** The passport of the wallet, also if it is hidden. Throws `not_found`. */
async function findPassport({ store, contact }: Context, wallet: string): Promise<Subject> {
  const found = await store.subjects.find(wallet)
  if (found) return found
  const help = contact === undefined ? '' : ` Contact of the operator: ${contact.replace(/^mailto:/, '')}`
  throw notFound(`No passport here has the wallet ${wallet}.${help}`)
}

const TOKEN = /^0x[0-9a-f]{40}\.[\w-]{43}$/

/** The person of a session. Throws `unauthorized`, or `not_found` if the wallet has no passport any more. */
export async function findSubject(context: Context, token: string): Promise<Subject> {
  const isValid = TOKEN.test(token) && (await context.store.proofs.isValid(sessionId(token), context.now()))
  if (isValid) return findPassport(context, token.slice(0, token.indexOf('.')))
  const message =
    'The header Authorization must be Bearer and the token of a session that has not ended: POST /api/v3/me/session opens one.'
  throw new ServiceError('unauthorized', message, {
    headers: { 'WWW-Authenticate': 'Bearer realm="passportd"' },
    members: { detail: message },
  })
}

export const endSession = ({ store, now }: Context, token: string) =>
  store.proofs.take(sessionId(token), now())

/** Stores a request to the operator. */
export async function requestCorrection({ store, now }: Context, { id: passportId }: Subject, text: string) {
  if (text.trim() === '' || text.length > LONGEST_REQUEST || !isStorable(text))
    throw invalidBody(`A request is a text of 1 to ${LONGEST_REQUEST} characters, got ${quote(text)}.`)
  const request = { id: randomBytes(6).toString('hex'), passportId, text, createdAt: now() }
  await store.requests.add(request)
  return { id: request.id, created_at: new Date(request.createdAt).toISOString() }
}

/** Removes the person's passport for good, and ends the session. */
export async function removeSubject(context: Context, { id }: Subject, token: string) {
  const end = await context.store.passports.remove(id, context.now(), 'subject')
  await endSession(context, token)
  return end
}
