import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'

/** The keys of Standard Webhooks: `secret` for `v1` (HMAC-SHA256), the other two for `v1a` (Ed25519). */
export type SigningKey = {
  /** `whsec_` and 32 random bytes in base64. */
  secret: string
  /** `whpk_` and the 32 bytes of the public key in base64. */
  publicKey: string
  /** PKCS #8 in base64. */
  privateKey: string
  /** After a rotation, the old key signs until this time. */
  until?: number
}

export function createSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return {
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    publicKey: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

export type Message = { id: string; body: string }

/** The headers of one attempt. Receivers refuse old timestamps, so each attempt is signed again, with the same id. */
export function signMessage({ id, body }: Message, keys: readonly SigningKey[], now: number) {
  const timestamp = String(Math.floor(now / 1000))
  const signed = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = keys
    .filter(({ until }) => until === undefined || now < until)
    .flatMap((key) => {
      const { secret, privateKey } = keyObjects.getOrInsertComputed(key, parseSigningKey)
      const mac = createHmac('sha256', secret).update(signed).digest('base64')
      return [`v1,${mac}`, `v1a,${sign(null, signed, privateKey).toString('base64')}`]
    })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** Parsing a key takes as long as signing. A subscription keeps its keys for many attempts. */
const keyObjects = new WeakMap<SigningKey, { secret: Buffer; privateKey: KeyObject }>()

const parseSigningKey = ({ secret, privateKey }: SigningKey) => ({
  secret: Buffer.from(secret.replace('whsec_', ''), 'base64'),
  privateKey: createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' }),
})
