import { expect, test } from 'bun:test'
import { verifyWebhook, WebhookError } from '../../packages/client/src/index.ts'
import { failureOf } from '../support/http/server.ts'
import { createSigningKey, signMessage } from '../support/http/webhook-receiver.ts'

const [OLD, NEW, OTHER] = [createSigningKey(), createSigningKey(), createSigningKey()]
const EVENT = { specversion: '1.0', id: 'k-1', type: 'score.changed', subject: '7' }
const BODY = JSON.stringify(EVENT)

const sign = (body = BODY, age = 0) => signMessage({ id: 'k-1', body }, [NEW, OLD], Date.now() - age)
const toRequest = (headers: Record<string, string>, body = BODY) =>
  new Request('http://hook.example/', { method: 'POST', headers, body })

test.each([
  ['the secret', NEW.secret],
  ['the public key', NEW.publicKey],
  ['the old secret after a rotation', OLD.secret],
  ['the old public key after a rotation', OLD.publicKey],
])(
  'verifyWebhook returns the event of a Request and of a Node message that is signed with %s',
  async (_, key) => {
    expect(await verifyWebhook(toRequest(sign()), key)).toEqual(EVENT as never)
    const headers = { host: 'hook.example', 'set-cookie': ['a', 'b'], ...sign() }
    expect(await verifyWebhook({ headers, body: BODY }, key)).toEqual(EVENT as never)
  },
)

test('verifyWebhook verifies a body with characters outside of ASCII', async () => {
  const body = JSON.stringify({ ...EVENT, data: 'Zoë 🐉' })
  expect(await verifyWebhook(toRequest(sign(body), body), NEW.secret)).toMatchObject({ data: 'Zoë 🐉' })
})

const signed = sign()
const late = 'webhook-timestamp must be at most 300 seconds from now, got '
test.each<[string, Record<string, string>, string, string]>([
  ['another body', signed, `${BODY} `, 'No v1 signature of the request is valid for this key.'],
  ['another id', { ...signed, 'webhook-id': 'k-2' }, BODY, 'No v1 signature of the request'],
  ['an old time', sign(BODY, 301_000), BODY, late],
  ['a future time', sign(BODY, -3_600_000), BODY, late],
  ['a time that is no number', { ...signed, 'webhook-timestamp': '1e9' }, BODY, `${late}"1e9"`],
  ['no id', { ...signed, 'webhook-id': '' }, BODY, 'The request has no header webhook-id.'],
  ['a signature that is not base64', { ...signed, 'webhook-signature': 'v1,%' }, BODY, 'No v1 signature'],
  [
    'a signature of another version',
    { ...signed, 'webhook-signature': signed['webhook-signature'].replaceAll('v1,', 'v2,') },
    BODY,
    'No v1 signature',
  ],
  ['no JSON', sign('{'), '{', 'The body is not JSON.'],
])('verifyWebhook refuses a request with %s', async (_, headers, body, sentence) => {
  const failure = await failureOf(verifyWebhook(toRequest(headers, body), NEW.secret))
  expect(failure).toBeInstanceOf(WebhookError)
  expect(failure.message).toStartWith(sentence)
})

test('verifyWebhook refuses a request that another key has signed', async () => {
  for (const key of [OTHER.secret, OTHER.publicKey])
    expect(await failureOf(verifyWebhook(toRequest(sign()), key))).toBeInstanceOf(WebhookError)
  const noV1a = sign()['webhook-signature'].replace(/v1a,\S+/g, '')
  const failure = await failureOf(
    verifyWebhook(toRequest({ ...sign(), 'webhook-signature': noV1a }), NEW.publicKey),
  )
  expect(failure.message).toBe('No v1a signature of the request is valid for this key.')
})

test.each(['', 'whsec_', 'whsec_%', 'whpk_AAAA', NEW.secret.slice(6), undefined as never])(
  'verifyWebhook refuses the key %j without showing it',
  async (key) => {
    expect(await failureOf(verifyWebhook(toRequest(sign()), key))).toEqual(
      new TypeError('key must be the secret (whsec_...) or the public key (whpk_...) of a subscription.'),
    )
  },
)
