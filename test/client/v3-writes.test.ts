import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createClient, type PassportError } from '../../packages/client/src/index.ts'
import { makeKey } from '../support/http/keys.ts'
import { failureOf } from '../support/http/server.ts'
import { serveWrites } from '../support/http/servers.ts'
import { openTestStore } from '../support/store/engines.ts'
import { PEOPLE } from '../support/store/records.ts'

const HOOK = 'https://issuer.example/hook'

let server: Awaited<ReturnType<typeof serveWrites>>
let options: { baseUrl: URL; apiKey: string }
beforeAll(async () => {
  server = await serveWrites(await openTestStore('sqlite', PEOPLE))
  const { key } = await makeKey(server.store, 50, { scopes: ['read', 'events', 'write:*'] })
  options = { baseUrl: server.url, apiKey: key }
})
afterAll(() => server[Symbol.asyncDispose]())

/** Counts requests. The service handles all of them, but the first responses are lost. */
function clientThatLoses(lost: number) {
  const methods: string[] = []
  const { v3 } = createClient({
    ...options,
    longestWait: 1,
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (methods.push(init.method ?? '') <= lost) throw new Error('The connection was lost.')
      return response
    },
  })
  return { v3, methods }
}

test('the client writes records, and reads them with the cursor of the write', async () => {
  const { v3 } = createClient(options)
  const records = [
    { passport_id: 4001, passport_profile: { display_name: 'Zoë' } },
    { passport: 4001, type: 'github', account: 'zoe', value: 16 },
  ]
  const dry = await v3.write(records, { dryRun: true })
  expect(dry).toMatchObject({ added: 2, outcomes: [{ line: 1, outcome: 'added' }, { line: 2 }] })
  expect(await failureOf(v3.passport(4001))).toMatchObject({ code: 'not_found' })
  const { cursor: after, ...counts } = await v3.write(records)
  expect(counts).toMatchObject({ added: 2, changed: 0, unchanged: 0, removed: 0, unknown_fields: 0 })
  expect(await v3.passport(4001, { after, select: ['passport_id'] })).toEqual({ passport_id: 4001 })
  expect((await v3.lookup([4001], { after })).found).toBe(1)
  expect((await v3.page({ after, q: 'zoë' })).total).toBe(1)
  const names = await Array.fromAsync(v3.list({ after, q: 'zoë', select: ['passport_id'] }))
  expect(names).toEqual([{ passport_id: 4001 }])
  expect(await failureOf(v3.passport(7, { after: 'x' }))).toMatchObject({ errors: [{ pointer: '?after' }] })
})

test('the client throws an error with the line and field of each invalid record', async () => {
  const { v3 } = createClient(options)
  const failure = await failureOf(
    v3.write([{ passport: 7, type: 'github', value: 'x' }, { passport_id: -1 }]),
  )
  expect(failure).toMatchObject({ code: 'invalid_request', status: 400 })
  expect((failure as PassportError).errors.map(({ line, pointer }) => [line, pointer])).toEqual([
    [1, '#/records/0/value'],
    [2, '#/records/1/passport_id'],
  ])
  const large = { passport_id: 5, passport_profile: { bio: 'x'.repeat(2 ** 20) } }
  expect(await failureOf(v3.write([large]))).toMatchObject({ code: 'content_too_large', status: 413 })
})

test('the client retries a write whose response was lost, because writing again changes nothing', async () => {
  const { v3, methods } = clientThatLoses(1)
  const result = await v3.write([{ passport_id: 4002 }])
  expect(result).toMatchObject({ added: 0, unchanged: 1 })
  expect(methods).toEqual(['POST', 'POST'])
})

test('the client creates, reads, changes, rotates and removes webhooks', async () => {
  const { subscriptions } = createClient(options).v3
  const { secret, ...made } = await subscriptions.create({ url: HOOK, types: ['score.changed'] })
  expect(secret).toStartWith('whsec_')
  expect(made).toMatchObject({ url: HOOK, state: 'active', types: ['score.changed'] })
  expect(await subscriptions.list()).toEqual([made])
  expect(await subscriptions.get(made.id)).toEqual(made)
  const paused = await subscriptions.change(made.id, { state: 'paused', types: null })
  expect(paused).toMatchObject({ state: 'paused', types: null })
  const rotated = await subscriptions.rotate(made.id)
  expect(rotated.secret).toStartWith('whsec_')
  expect(rotated.secret).not.toBe(secret)
  expect(await subscriptions.remove(made.id)).toMatchObject({ id: made.id })
  expect(await failureOf(subscriptions.get(made.id))).toMatchObject({ code: 'not_found' })
  expect(await failureOf(subscriptions.create({ url: 'ftp://x' }))).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '#/url' }],
  })
  expect(await failureOf(subscriptions.get(''))).toBeInstanceOf(TypeError)
})

test('the client does not retry the creation and the rotation of a webhook, because each request has an effect', async () => {
  const { id } = await createClient(options).v3.subscriptions.create({ url: HOOK })
  const { v3, methods } = clientThatLoses(2)
  expect(await failureOf(v3.subscriptions.create({ url: HOOK }))).toMatchObject({ code: 'network' })
  expect(await failureOf(v3.subscriptions.rotate(id))).toMatchObject({ code: 'network' })
  expect(methods).toEqual(['POST', 'POST'])
  expect(await v3.subscriptions.list()).toHaveLength(2)
  for (const each of await v3.subscriptions.list()) await v3.subscriptions.remove(each.id)
})
