import { expect, test } from 'bun:test'
import { sendBytes } from '../../support/http/raw-request.ts'
import { shareServer } from '../../support/http/server.ts'
import { JSON_BODY, LOOKUP, serveLookup } from '../../support/http/servers.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, PEOPLE, record } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveLookup)

const refused = (reason: string) => `The body is not valid JSON: ${reason}.`
const notList = (got: string) => `keys must be an array, got ${got}.`

const LONG = 'select must be a list of at most 100 entries, got […].'
const MARKS = 'The body may have at most 10000 quotes, commas, colons and opening brackets.'

test.each([
  ['no object', '[]', '#', 'The body must be an object, got [].'],
  ['no keys', '{}', '#/keys', 'keys is missing.'],
  ['keys that are no list', '{"keys":"7"}', '#/keys', notList('"7"')],
  ['a key that is no text', '{"keys":["7",8]}', '#/keys/1', 'keys.1 must be a string, got 8.'],
  [
    'an unknown member',
    '{"keys":[],"key~/":1}',
    '#/key~0~1',
    '"key~/" is not a known member: did you mean keys?',
  ],
  [
    'a long unknown member',
    `{"keys":[],"${'x'.repeat(100)}":1}`,
    '#',
    `"${'x'.repeat(40)}…" is not a known member: use keys, include, select, as_of, after.`,
  ],
  [
    'an unknown include',
    '{"keys":[],"include":["x"]}',
    '#/include/0',
    'include.0 must be credentials, standing or explanation, got "x".',
  ],
  [
    'an unknown field',
    '{"keys":[],"select":["rules","scores"]}',
    '#/select/1',
    '"scores" is not a known field: did you mean score?',
  ],
  [
    'an empty select',
    '{"keys":[],"select":[]}',
    '#/select',
    'select must be a list that is not empty, got [].',
  ],
  ['a long select', JSON.stringify({ keys: [], select: Array(101).fill('rules') }), '#/select', LONG],
  ['no JSON', 'keys=7', '#', refused('Unexpected identifier "keys"')],
  ['JSON that ends early', '{"keys":["7"', '#', refused("Expected ']'")],
  ['a comma too many', '{"keys":["7",]}', '#', refused('Unexpected comma at the end of array expression')],
  ['an empty body', '', '#', refused('Unexpected EOF')],
  ['many lists', '['.repeat(500_000), '#', MARKS],
  ['many members', `{${Array.from({ length: 50_000 }, (_, at) => `"${at}":1`)}}`, '#', MARKS],
  ['many keys', JSON.stringify({ keys: Array(3334).fill('7') }), '#', MARKS],
  [
    'many escapes',
    `{"keys":["${'\\n'.repeat(25_001)}"]}`,
    '#',
    'The body may have at most 25000 backslashes.',
  ],
  ['a long word', 'x'.repeat(4000), '#', refused(`Unexpected identifier "${'x'.repeat(57)}`)],
  ['a large value', `{"keys":{"a":[${'1,'.repeat(5000)}1]}}`, '#/keys', notList('{…}')],
])('a lookup with %s gets 400', async (_, body, pointer, detail) => {
  const reply = await server.send(body)
  expect([reply.status, reply.body.code, reply.body.errors]).toEqual([
    400,
    'invalid_request',
    [{ pointer, detail }],
  ])
})

test('a lookup gets 400 for more than 1,000 keys, 413 for a large body, and 415 for another content type', async () => {
  const many = await server.lookUp(Array(1001).fill('7'))
  expect(many.body).toMatchObject({
    status: 400,
    errors: [{ pointer: '#/keys', detail: 'keys must be a list of at most 1000 entries, got […].' }],
  })
  const large = await server.send(JSON.stringify({ keys: ['x'.repeat(1024 * 1024)] }))
  expect([large.status, large.body.code]).toEqual([413, 'content_too_large'])
  const text = await server.send('{"keys":[]}', { 'Content-Type': 'text/plain' })
  expect([text.status, text.body.code]).toEqual([415, 'unsupported_media_type'])
  const zipped = await server.send('{"keys":[]}', { ...JSON_BODY, 'Content-Encoding': 'gzip' })
  expect([zipped.status, zipped.body.code]).toEqual([415, 'unsupported_media_type'])
  const typed = { 'Content-Type': 'Application/JSON; charset=utf-8' }
  expect((await server.send('{"keys":[]}', typed)).status).toBe(200)
})

test('a chunked body above 1 MiB gets 413, and a body that is not UTF-8 gets 400', async () => {
  const head = `POST ${LOOKUP} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${server.key}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  const reply = await sendBytes(
    server.port,
    `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
  )
  expect(reply).toStartWith('HTTP/1.1 413 ')
  expect(reply).toContain('"code":"content_too_large"')
  const odd = await fetch(server.url.origin + LOOKUP, {
    method: 'POST',
    headers: { ...JSON_BODY, 'X-API-KEY': server.key },
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  })
  expect(await odd.json()).toMatchObject({ status: 400, detail: 'The body is not valid UTF-8.' })
})

test.each([
  ['a space before an id', ' 7'],
  ['a space after an id', '7 '],
  ['a line break after an id', '7\n'],
  ['a space alone', ' '],
  ['a space after a wallet', `${ADA_WALLET} `],
  ['a space in a wallet', `${ADA_WALLET.slice(0, 20)} ${ADA_WALLET.slice(20)}`],
  ['a space after a handle', 'lens:ada '],
  ['a space before a handle', ' lens:ada'],
  ['a space after the colon', 'lens: ada'],
  ['a space before the colon', 'lens :ada'],
  ['300 zeros before an id', `${'0'.repeat(300)}7`],
  ['a source of 300,000 characters', `${'İ'.repeat(300_000)}:a`],
])('a key of a lookup with %s is malformed', async (_, key) => {
  expect((await server.lookUp([key])).body.items).toEqual([{ key, error: 'malformed' }])
})

test('a handle is found even if its name contains white space', async () => {
  await using store = await openTestStore('sqlite', [
    record(5, { socials: [{ ...ada.socials[0], name: 'Ada  King' } as (typeof ada.socials)[number]] }),
  ])
  await using server = await serveLookup(store)
  const { body } = await server.lookUp(['lens:ada  king'], { select: ['passport_id'] })
  expect(body.items).toEqual([{ key: 'lens:ada  king', passport: { passport_id: 5 } }])
})
