import type { V3Event } from './types.ts'

/** A request that `verifyWebhook` refuses: respond with 400. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** For servers without `Request`, such as `node:http`. `body` is the body as it was received. */
export type WebhookMessage = {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

const LONGEST_AGE_SECONDS = 300

/** A rotation makes two of each version. */
const MOST_SIGNATURES = 20

const ALGORITHMS = {
  whsec: { version: 'v1', algorithm: { name: 'HMAC', hash: 'SHA-256' } },
  whpk: { version: 'v1a', algorithm: { name: 'Ed25519' } },
} as const

/**
 * Returns the event of a webhook request. `key` is the `secret` (`whsec_...`) or the `public_key` (`whpk_...`) of the
 * subscription. Throws a `WebhookError` unless a signature is valid and at most five minutes old.
 */
export async function verifyWebhook(request: Request | WebhookMessage, key: string): Promise<V3Event> {
  const { version, algorithm, bytes } = parseKey(key)
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(request, name),
  ) as [string, string, string]
  checkTime(timestamp)
  const body = typeof request.body === 'string' ? request.body : await (request as Request).text()
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const imported = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  for (const each of signatures.split(' ', MOST_SIGNATURES)) {
    const signature = each.startsWith(`${version},`) ? decode(each.slice(version.length + 1)) : undefined
    // WebCrypto compares in constant time.
    if (signature && (await crypto.subtle.verify(algorithm, imported, signature, signed)))
      return parseEvent(body)
  }
  throw new WebhookError(`No ${version} signature of the request is valid for this key.`)
}

/** The message must not contain the secret. */
function parseKey(key: string) {
  const [, kind, text = ''] = /^(whsec|whpk)_(.+)$/.exec(String(key).trim()) ?? []
  const bytes = decode(text)
  if (bytes && (kind === 'whpk' ? bytes.length === 32 : kind && bytes.length > 0))
    return { ...ALGORITHMS[kind as keyof typeof ALGORITHMS], bytes }
  throw new TypeError('key must be the secret (whsec_...) or the public key (whpk_...) of a subscription.')
}

function readHeader({ headers }: Request | WebhookMessage, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookError(`The request has no header ${name}.`)
}

function checkTime(timestamp: string): void {
  const age = /^\d{1,12}$/.test(timestamp) ? Math.round(Date.now() / 1000) - Number(timestamp) : Number.NaN
  if (Math.abs(age) <= LONGEST_AGE_SECONDS) return
  throw new WebhookError(
    `webhook-timestamp must be at most ${LONGEST_AGE_SECONDS} seconds from now, got ${JSON.stringify(timestamp.slice(0, 20))}: check the clock.`,
  )
}

/** Returns undefined if the text is not base64. */
function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function parseEvent(body: string): V3Event {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new WebhookError('The body is not JSON.', { cause })
  }
}
