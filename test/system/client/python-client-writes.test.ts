import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeKey } from '../../support/http/keys.ts'
import { serveWrites } from '../../support/http/servers.ts'
import { createSigningKey, signMessage } from '../../support/http/webhook-receiver.ts'
import { hasPrograms } from '../../support/programs.ts'
import { installPythonClient, type PythonClient } from '../../support/python-client.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

describe.if(hasPrograms('python3-build'))('the Python client', () => {
  const folder = tempFolder()
  let client: PythonClient
  let server: Awaited<ReturnType<typeof serveWrites>>
  let key: string
  beforeAll(async () => {
    client = await installPythonClient(folder.path)
    server = await serveWrites(await openTestStore('sqlite', PEOPLE))
    key = (await makeKey(server.store, 50, { scopes: ['read', 'events', 'write:*'] })).key
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test('writes records, reads them with the cursor of the write, and raises the problems of each line', async () => {
    const program = `
v3 = client.v3
records = [{"passport_id": 4001, "passport_profile": {"display_name": "Zoë"}}, {"passport": 4001, "type": "github", "value": 16}]
show(v3.write(records, dry_run=True)["added"])
show(failure_of(lambda: v3.passport(4001)))
after = v3.write(records)["cursor"]
show(v3.passport(4001, after=after, select=["passport_id"]))
show(v3.lookup([4001], after=after)["found"])
show(v3.page(q="zoë", after=after)["total"])
show([each["passport_id"] for each in v3.list(q="zoë", after=after)])
show(v3.write(tuple(records))["outcomes"])
show(failure_of(lambda: v3.passport(7, after="x")))
show(failure_of(lambda: v3.write([{"passport": 7, "type": "github"}])))
for wrong in ([], records * 501, "text", records[0]): show(failure_of(lambda: v3.write(wrong)))
`
    const shown = await client.run(program, server.url, key)
    const unchanged = [1, 2].map((line) => ({ line, outcome: 'unchanged' }))
    const sentence = 'records must be a list of 1 to 1000 records, because a call is one transaction, got '
    expect(shown).toMatchObject([
      2,
      { code: 'not_found' },
      { passport_id: 4001 },
      1,
      1,
      [4001],
      unchanged,
      { errors: [{ pointer: '?after' }] },
      { code: 'invalid_request', errors: [{ line: 1, pointer: '#/records/0/value' }] },
      ...['list of 0', 'list of 1002', 'str of 4', 'dict of 2'].map((got) => `${sentence}'${got}'.`),
    ])
  })

  test('retries a write whose response was lost, but not the creation and the rotation of a webhook', async () => {
    let lost = 0
    await using proxy = Bun.serve({
      port: 0,
      async fetch({ url, method, headers, body }) {
        const { pathname, search } = new URL(url)
        const response = await fetch(new URL(pathname + search, server.url), { method, headers, body })
        return lost-- > 0 ? new Response('', { status: 502 }) : response
      },
    })
    const program = (call: string) => `show(client.v3.${call})`
    const failing = (call: string) => `show(failure_of(lambda: client.v3.${call}))`
    lost = 1
    const written = await client.run(program('write([{"passport_id": 4002}])["unchanged"]'), proxy.url, key)
    expect(written).toEqual([1])
    for (const call of ['create({"url": "https://hook.example"})', 'rotate("sub_1")']) {
      lost = 1
      const [failure] = await client.run(failing(`subscriptions.${call}`), proxy.url, key)
      expect(failure).toMatchObject({ status: 502 })
    }
    const [count] = await client.run(program('subscriptions.list()'), server.url, key)
    expect(count).toHaveLength(1)
  })

  test('creates, reads, changes, rotates and removes webhooks', async () => {
    const program = `
hooks = client.v3.subscriptions
made = hooks.create({"url": "https://hook.example/", "types": ["score.changed"]})
secret = made.pop("secret")
show(secret[:6])
show([hooks.get(made["id"]) == made, made in hooks.list()])
show(hooks.change(made["id"], {"state": "paused", "types": None}))
show(hooks.rotate(made["id"])["secret"] not in (None, secret))
show(hooks.remove(made["id"])["state"])
show(failure_of(lambda: hooks.get(made["id"])))
show(failure_of(lambda: hooks.create({"url": "ftp://x"})))
show(failure_of(lambda: hooks.get("")))
`
    expect(await client.run(program, server.url, key)).toMatchObject([
      'whsec_',
      [true, true],
      { state: 'paused', types: null },
      true,
      'paused',
      { code: 'not_found' },
      { code: 'invalid_request', errors: [{ pointer: '#/url' }] },
      expect.stringContaining("got ''."),
    ])
  })

  test('verifies webhook requests by their v1 signature', async () => {
    const [old, other] = [createSigningKey(), createSigningKey()]
    const body = JSON.stringify({ specversion: '1.0', id: 'k-1', data: 'Zoë' })
    const sign = (text = body, age = 0) =>
      signMessage({ id: 'k-1', body: text }, [createSigningKey(), old], Date.now() - age)
    const good = sign()
    const calls: [headers: object, body: string, secret: string, shown: unknown][] = [
      [good, body, old.secret, 'k-1'],
      [
        Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value])),
        body,
        old.secret,
        'k-1',
      ],
      [good, `${body} `, old.secret, 'No v1 signature of the request is valid for this secret.'],
      [good, body, other.secret, 'No v1 signature of the request is valid for this secret.'],
      [
        { ...good, 'webhook-signature': 'v1a,é v1 %' },
        body,
        old.secret,
        'No v1 signature of the request is valid for this secret.',
      ],
      [{ ...good, 'webhook-id': '' }, body, old.secret, 'The request has no header webhook-id.'],
      [
        sign(body, 302_000),
        body,
        old.secret,
        expect.stringContaining('webhook-timestamp must be at most 300 seconds from now, got'),
      ],
      [sign(body, -3_600_000), body, old.secret, expect.stringContaining('webhook-timestamp must be')],
      [
        { ...good, 'webhook-timestamp': '1e9' },
        body,
        old.secret,
        expect.stringContaining("got '1e9': check the clock."),
      ],
      [sign('{'), '{', old.secret, 'The body is not JSON.'],
      ...[old.publicKey, 'whsec_', 'whsec_%', old.secret.slice(6)].map(
        (secret): [object, string, string, string] => [
          good,
          body,
          secret,
          'secret must be the secret of a subscription, which begins with whsec_.',
        ],
      ),
    ]
    const program = `
from passportd_client import WebhookError, verify_webhook
for headers, body, secret in json.loads(${JSON.stringify(JSON.stringify(calls.map((call) => call.slice(0, 3))))}):
    for given in (body, body.encode()):
        try: show(verify_webhook(headers, given, secret)["id"])
        except (WebhookError, ValueError) as error: show(str(error))
`
    const shown = await client.run(program, server.url)
    expect(shown).toEqual(calls.flatMap(([, , , expected]) => [expected, expected]))
  })
})
