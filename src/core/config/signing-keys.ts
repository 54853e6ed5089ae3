import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** An Ed25519 key (RFC 8037). `kid` names it within its issuer. */
export type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string }

type PrivateJwk = PublicJwk & { d: string }

/** `active` signs. `listed` has its public key and those of earlier keys, so that old signatures can be verified. */
export type SigningKeys = { active: PrivateJwk; listed: readonly PublicJwk[] }

/** Parses a JWK Set whose first private key is the active one. Returns `undefined` for another text. */
export function parseSigningKeys(text: string): SigningKeys | undefined {
  try {
    const { keys } = JSON.parse(text) as { keys: PrivateJwk[] }
    const active = keys.find(({ d }) => d !== undefined)
    if (!active || !keys.every(isKey)) return undefined
    toKeyObject(active)
    return { active, listed: keys.map(withoutPrivateKey) }
  } catch {
    // The caller says what is accepted. An error of the parser could contain a part of the key.
    return undefined
  }
}

const isKey = ({ kty, crv, x, kid }: PublicJwk) =>
  kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && /^[\w.-]{1,64}$/.test(kid)

const withoutPrivateKey = ({ kty, crv, x, kid }: PublicJwk): PublicJwk => ({ kty, crv, x, kid })

/** Returns a JWK Set with a new active key, named after the month. Of earlier keys, only the public keys are kept. */
export function rotateSigningKeys(earlier: SigningKeys | undefined, now: number): SigningKeys {
  const listed = earlier?.listed ?? []
  const month = new Date(now).toISOString().slice(0, 7)
  let kid = month
  for (let number = 2; listed.some((key) => key.kid === kid); number++) kid = `${month}-${number}`
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as PrivateJwk
  const active: PrivateJwk = { kty: 'OKP', crv: 'Ed25519', x, kid, d }
  return { active, listed: [withoutPrivateKey(active), ...listed] }
}

/** The text of a file with signing keys. */
export const writeSigningKeys = ({ active, listed }: SigningKeys): string =>
  `${JSON.stringify({ keys: [active, ...listed.filter(({ kid }) => kid !== active.kid)] }, null, 2)}\n`

/** The `did:web` of an issuer. A port is percent-encoded. */
export const didOf = (origin: string): string => `did:web:${encodeURIComponent(new URL(origin).host)}`

type Signed = { keys: SigningKeys; did: string; type: string; contentType?: string }

/** A JWT with an Ed25519 signature. Common libraries know this algorithm only by its older name `EdDSA`. */
export function signJwt(payload: object, { keys: { active }, did, type, contentType }: Signed): string {
  const header = { alg: 'EdDSA', typ: type, cty: contentType, kid: `${did}#${active.kid}` }
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signed = parts.join('.')
  const key = keyObjects.getOrInsertComputed(active, toKeyObject)
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

/** Parsing a key takes as long as signing. */
const keyObjects = new WeakMap<PrivateJwk, KeyObject>()

const toKeyObject = (key: PrivateJwk) => createPrivateKey({ key, format: 'jwk' })
