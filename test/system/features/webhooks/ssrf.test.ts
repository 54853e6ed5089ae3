import { expect, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { parseReceiverUrl } from '../../../../src/features/webhooks/receiver-address.ts'
import { sendWebhook } from '../../../../src/features/webhooks/send.ts'
import { writeCertificate } from '../../../support/http/certificate.ts'
import { receiveWebhooks } from '../../../support/http/webhook-receiver.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/** Unassigned by IANA: no packet reaches it. */
const PUBLIC = '2000::1'

/** Counts the connections to a port on all addresses of this machine. */
async function listen() {
  let connections = 0
  const server: Server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, () => resolve()))
  const { port } = server.address() as { port: number }
  return { port, connections: () => connections, [Symbol.dispose]: () => void server.close() }
}

const attempt = (url: string, given: Partial<Parameters<typeof sendWebhook>[3]> = {}) =>
  sendWebhook(url, {}, '{}', {
    allowPrivate: false,
    signal: new AbortController().signal,
    timeout: 500,
    ...given,
  })

const REFUSED = { error: 'The host of the URL has an address that is not public.' }

/** The same addresses in all forms that URLs accept. */
const LITERALS = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1', '127.0.0.1.'],
  ...['0', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '100.100.100.200',
    '168.63.129.16',
  ],
  ...['192.0.0.192', '192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[0:0:0:0:0:ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
  ...[
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
  ],
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[fd20:ce::254]', '[ff02::1]', '[100::1]'],
]

/** Only these are tried: if the check failed, a connection to another address would leave this machine. */
const LOOPBACK = new Set(['127.0.0.1', '0.0.0.0', '[::]', '[::1]', '[::ffff:7f00:1]'])

test('no form of a private, local, reserved or metadata address reaches a listener or is accepted as a URL', async () => {
  using listener = await listen()
  for (const host of LITERALS) {
    const url = `https://${host}:${listener.port}/`
    expect([host, parseReceiverUrl(url, false)]).toEqual([host, { problem: 'must have a public address' }])
    if (LOOPBACK.has(new URL(url).hostname)) expect([host, await attempt(url)]).toEqual([host, REFUSED])
  }
  expect(listener.connections()).toBe(0)
})

test('a host name with any address that is not public is refused, and each attempt resolves it once', async () => {
  using listener = await listen()
  const answers = [['127.0.0.1'], ['::1'], [PUBLIC, '127.0.0.1'], ['::ffff:127.0.0.1'], ['169.254.169.254']]
  for (const [at, addresses] of answers.entries()) {
    let calls = 0
    const resolve = async () => {
      calls++
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    }
    const reply = await attempt(`https://rebinding.example:${listener.port}/`, { resolve })
    expect([at, reply, calls]).toEqual([at, REFUSED, 1])
  }
  expect(listener.connections()).toBe(0)
})

test('DNS answers that change between an admitted and a refused address never lead to the refused address', async () => {
  using listener = await listen()
  let calls = 0
  const resolve = async () => [{ address: calls++ % 2 === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
  const url = `http://rebinding.example:${listener.port}/`
  for (let round = 0; round < 40; round++) {
    const reply = await attempt(url, { resolve, allowPrivate: true })
    expect('error' in reply && (round % 2 === 1) === (reply.error === REFUSED.error)).toBe(true)
  }
  expect([calls, listener.connections()]).toEqual([40, 20])
})

test('a host name that does not resolve fails', async () => {
  const resolve = () => Promise.reject(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }))
  expect(await attempt('https://missing.example/', { resolve })).toEqual({
    error: 'The connection failed (ENOTFOUND).',
  })
})

test('a redirect is not followed, and a proxy of the environment is not used', async () => {
  using listener = await listen()
  const Location = `http://127.0.0.1:${listener.port}/`
  await using receiver = receiveWebhooks(() => new Response('', { status: 307, headers: { Location } }))
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']
  for (const name of names) process.env[name] = Location
  try {
    expect(await attempt(receiver.url, { allowPrivate: true })).toEqual({ status: 307 })
  } finally {
    for (const name of names) delete process.env[name]
  }
  expect([receiver.received.length, listener.connections()]).toEqual([1, 0])
})

test('private networks and http are possible with WEBHOOK_ALLOW_PRIVATE, but link-local and metadata addresses are not', async () => {
  const hosts = [
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '[::1]',
    '[fd12::1]',
    '8.8.8.8',
    '[2606:4700::1]',
  ]
  for (const host of hosts)
    expect(parseReceiverUrl(`http://${host}/`, true)).toEqual({ url: `http://${host}/` })
  const refused = [
    '169.254.169.254',
    '100.100.100.200',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ]
  for (const host of refused)
    expect([host, parseReceiverUrl(`http://${host}/`, true)]).toEqual([
      host,
      { problem: 'must have a public address' },
    ])
  expect(await attempt('http://127.0.0.1:1/')).toEqual({ error: 'The URL must be https.' })
})

test('a URL with another scheme, a user name, or a port of another service is refused', () => {
  const https = 'must be an https URL of at most 1000 characters, without a user name or password'
  for (const url of [
    'http://example.com',
    'ftp://example.com',
    'https://me:pw@example.com',
    'x',
    `https://example.com/${'x'.repeat(1000)}`,
  ])
    expect(parseReceiverUrl(url, false)).toEqual({ problem: https })
  for (const port of [22, 25, 1023])
    expect(parseReceiverUrl(`https://example.com:${port}/`, false)).toEqual({
      problem: 'must have the port 80, 443 or one from 1024',
    })
  for (const port of ['', ':80', ':8443', ':1024'])
    expect(parseReceiverUrl(`https://example.com${port}/a?b=c#d`, false)).toEqual({
      url: `https://example.com${port}/a?b=c`,
    })
})

test('an endless response body is not read, and a receiver that closes the connection fails', async () => {
  await using endless = receiveWebhooks(
    () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })),
  )
  expect(await attempt(endless.url, { allowPrivate: true, timeout: 10_000 })).toEqual({ status: 200 })
  using listener = await listen()
  const reply = await attempt(`http://127.0.0.1:${listener.port}/`, { allowPrivate: true })
  expect(reply).toEqual({ error: expect.stringMatching(/^The connection (failed|was closed)/) })
})

test('a receiver whose certificate is not trusted gets no event', async () => {
  using folder = tempFolder()
  const { TLS_CERT, TLS_KEY } = writeCertificate(folder.path, 'test')
  let requests = 0
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert: Bun.file(TLS_CERT), key: Bun.file(TLS_KEY) },
    fetch: () => new Response(String(requests++)),
  })
  const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
  try {
    for (const variable of ['1', '0']) {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = variable
      const reply = await attempt(server.url.href, { allowPrivate: true })
      expect([reply, requests]).toEqual([
        { error: 'The connection failed (DEPTH_ZERO_SELF_SIGNED_CERT).' },
        0,
      ])
    }
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  }
})
