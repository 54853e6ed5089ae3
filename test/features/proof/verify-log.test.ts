import { expect, test } from 'bun:test'
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callHere } from '../../support/cli-in-process.ts'
import { serveTampered, type Tamper } from '../../support/http/tampering-proxy.ts'
import { owning } from '../../support/owning.ts'
import { signJwt } from '../../support/proof/snapshots.ts'
import { onEveryEngine, openTestStore, saveRecords, type TestStore } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { foldAll } from '../../support/store/hash-chain.ts'
import { NOON, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Five people: events 1 to 5. Each change of a score is one more event. */
const PEOPLE = Array.from({ length: 5 }, (_, id) => record(id))

const change = (store: TestStore, id: number, total: number, now = NOON) =>
  saveRecords(store, [record(id, { scores: { total } })], { now })

async function prepare(store: TestStore) {
  const server = await serveTampered(store)
  const folder = tempFolder()
  const file = join(folder.path, 'head.json')
  const verify = (...args: string[]) =>
    callHere(['verify', '--log', server.url, ...args], { env: { MIRROR_KEY: server.key } })
  const withFile = () => verify('--head', file)
  const stored = () => JSON.parse(readFileSync(file, 'utf8'))
  return owning({ ...server, file, verify, withFile, stored }, server, {
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  })
}

/** Makes the service compute its head again, as somebody would who rewrites the log. */
const REFOLD = `update event_log set head_at = first - 1, head = base`

onEveryEngine('verify --log', (open) => {
  test('a log verifies, also after removals and pruning, and the head is stored in a file', async () => {
    await using given = await prepare(await open(PEOPLE))
    const { store, url } = given
    const { name } = await store.events.log()
    const first = await given.withFile()
    const { head } = await foldAll(store)
    expect(first).toEqual({
      out: `The events 1 to 5 of the log ${name} lead to the head ${head}. It is signed by did:web:passports.example.com.\n`,
      err: '',
      code: 0,
    })
    expect(given.stored()).toMatchObject({ log: name, length: 5, head, signed: expect.stringContaining('.') })
    await change(store, 1, 5, NOON + 1)
    await store.passports.remove(2, NOON + 2)
    const second = await given.verify('--head', given.file, '--log', `${url}/api/v3/`)
    expect(second.out).toEndWith(`The head of 5 events in ${given.file} is on the chain.\n`)
    expect(given.stored().length).toBe(7)
    await store.events.prune(NOON + 2)
    await saveRecords(store, [record(9)], { now: NOON + 3 })
    expect((await given.withFile()).out).toStartWith(`The events 7 to 8 of the log ${name} lead to`)
    await store.events.prune(NOON + 9)
    expect((await given.withFile()).out).toStartWith(`The events 9 to 8 of the log ${name} lead to`)
  })

  test('a log verifies while a person is hidden, whose events are then tombstones, and after the person is shown again', async () => {
    await using given = await prepare(await open(PEOPLE))
    const { store } = given
    await given.withFile()
    await store.passports.hide(2, true, NOON + 1)
    expect((await given.withFile()).code).toBe(0)
    const hidden = await store.events.listProven({ after: 0, limit: 100 })
    expect(hidden.events.filter((event) => 'passportId' in event && event.passportId === 2)).toEqual([
      expect.objectContaining({ type: 'passport.removed' }),
    ])
    const own = await store.events.listProven({ after: 0, limit: 100, passport: 2 })
    expect(own.events.map(({ type }) => type)).toEqual(['passport.removed'])
    await store.passports.hide(2, false, NOON + 2)
    expect((await given.withFile()).code).toBe(0)
    const shown = await store.events.listProven({ after: 0, limit: 100 })
    expect(shown.events.some(({ type }) => type === 'tombstone')).toBe(true)
  })

  /** The log has the events 1 to 10, and the file the head of the first five. */
  test.each([
    [
      'a changed score',
      `update events set data = replace(data, '"score":', '"score":9') where sequence = 3`,
      5,
    ],
    ['a deleted event', 'delete from events where sequence = 3', 3],
    ['another tombstone', `update events set data = '{"leaf":"${'ab'.repeat(32)}"}' where sequence = 6`, 10],
    ['another head', `update event_log set head = '${'ab'.repeat(32)}'`, 10],
  ])('%s in the database is found', async (_, sql, sequence) => {
    await using given = await prepare(await open(PEOPLE))
    const { store } = given
    await given.withFile()
    await change(store, 4, 1)
    await change(store, 1, 1)
    await change(store, 3, 2)
    await change(store, 3, 3)
    await store.passports.remove(4, NOON)
    expect((await foldAll(store)).length).toBe(10)
    const before = readFileSync(given.file, 'utf8')
    await execute(store.url, sql)
    for (const { err, code } of [await given.withFile(), await given.withFile()]) {
      expect(err).toStartWith(`passportd: Broken at event ${sequence}: `)
      expect(code).toBe(1)
    }
    expect(readFileSync(given.file, 'utf8')).toBe(before)
  })

  test.each([5])(
    'an event that is missing before the head covers it is found: event %d',
    async (sequence) => {
      await using given = await prepare(await open(PEOPLE))
      await execute(given.store.url, `delete from events where sequence = ${sequence}`)
      expect((await given.verify()).err).toStartWith(`passportd: Broken at event ${sequence}: `)
    },
  )

  test('a rewritten log has a valid head, and only a stored head shows that it was rewritten', async () => {
    await using given = await prepare(await open(PEOPLE))
    await given.withFile()
    await execute(
      given.store.url,
      `update events set data = replace(data, '"score":', '"score":9') where sequence = 3`,
    )
    await execute(given.store.url, REFOLD)
    await change(given.store, 1, 5)
    expect(await given.verify()).toMatchObject({ code: 0 })
    expect(await given.withFile()).toMatchObject({
      err: 'passportd: Broken at event 5: the events 1 to 5 do not lead to the stored head. At least one was changed.\n',
      code: 1,
    })
  })

  test('a shortened log, a new log and a log without the events after the stored head are found', async () => {
    await using given = await prepare(await open(PEOPLE))
    const { store } = given
    await given.withFile()
    await execute(store.url, 'delete from events where sequence > 3')
    await execute(store.url, 'update event_log set last = 3')
    await execute(store.url, REFOLD)
    expect(await given.verify()).toMatchObject({ code: 0 })
    expect((await given.withFile()).err).toBe(
      'passportd: Broken at event 4: the log has become shorter. It had 5 events.\n',
    )
    await saveRecords(store, [record(7), record(8), record(9)], { now: NOON + 5 })
    expect((await given.withFile()).err).toContain(
      'Broken at event 5: the events 1 to 5 do not lead to the stored head',
    )
    await store.events.prune(NOON + 6)
    expect((await given.withFile()).err).toContain('Broken at event 7: older events')
    const { name } = await store.events.log()
    await execute(store.url, `update event_log set name = 'abcdef'`)
    expect((await given.withFile()).err).toContain(
      `Broken at event 7: the log ${name} was replaced by abcdef,`,
    )
  })
})

const inEvents =
  (tamper: (items: Record<string, unknown>[]) => unknown): Tamper =>
  (body, path) => {
    if (path.endsWith('/events')) body.items = tamper(body.items) ?? body.items
    return body
  }
const inLog =
  (members: object): Tamper =>
  (body, path) =>
    path.endsWith('/log') ? { ...body, ...members } : body
const item = (items: Record<string, unknown>[], at: number) => items[at] as Record<string, unknown>

test.each<[string, Tamper, number]>([
  ['an omitted event', inEvents((items) => items.toSpliced(2, 1)), 3],
  ['an event of another log', inEvents((items) => void Object.assign(item(items, 3), { id: 'abcdef-4' })), 4],
  ['an event without salt', inEvents((items) => void delete item(items, 1).salt), 2],
  [
    'a malformed tombstone',
    inEvents((items) => void items.splice(3, 1, { ...item(items, 3), type: 'tombstone', leaf: 'x' })),
    4,
  ],
  ['changed data', inEvents((items) => void Object.assign(item(items, 1), { data: {} })), 5],
  ['another head than the signed one', inLog({ head: 'ab'.repeat(32) }), 5],
  ['a signature that is none', inLog({ signed: 'x' }), 5],
  ['no key', (body, path) => (path.endsWith('jwks.json') ? { keys: [] } : body), 5],
])('%s in a response is found', async (_, tamper, sequence) => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  given.tamper.with = tamper
  const { err, code } = await given.withFile()
  expect(err).toStartWith(`passportd: Broken at event ${sequence}: `)
  expect(code).toBe(1)
  expect(existsSync(given.file)).toBe(false)
})

test('a head that is no longer signed is refused, and the stored one stays', async () => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  await given.withFile()
  given.tamper.with = inLog({ signed: null })
  expect((await given.withFile()).err).toContain('the head is no longer signed, but the stored one is.')
  expect(given.stored().signed).toContain('.')
})

test('a signature for another purpose, or of another head, is refused', async () => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  const keys = given.signing
  for (const type of ['passport-log+jwt', 'vc+jwt']) {
    given.tamper.with = (body, path) => {
      const { signed: _, ...members } = body
      if (!path.endsWith('/log')) return body
      const payload = type === 'vc+jwt' ? members : { ...members, last: 6 }
      return { ...body, signed: signJwt(payload, { keys, did: 'did:web:passports.example.com', type }) }
    }
    expect((await given.verify()).err).toContain('the head is not signed by a key of')
  }
})

test('a log of more than one page and of more events than a head adds at once verifies', async () => {
  const store = await openTestStore('sqlite')
  await saveRecords(
    store,
    Array.from({ length: 5500 }, (_, id) => record(id)),
  )
  await using given = await prepare(store)
  given.tamper.with = (body, path) => (path.endsWith('/log') ? { ...body, signed: null } : body)
  const { out } = await given.verify('--key', given.key)
  expect(out).toStartWith('The events 1 to 5500 of the log')
  expect(out).toEndWith('It is not signed.\n')
  expect(given.seen.filter((path) => path === '/api/v3/log')).toHaveLength(2)
  expect(given.seen.filter((path) => path.startsWith('/api/v3/events'))).toHaveLength(6)
})

test('events that are deleted, or a log that is replaced, while it is read need another run', async () => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  given.tamper.with = (body, path) =>
    path.endsWith('/log') ? { ...body, log: 'abcdef', signed: null } : body
  expect((await given.verify()).err).toContain(
    'The events after abcdef-0 were deleted meanwhile: run the command again.',
  )
  let requests = 0
  given.tamper.with = (body, path) =>
    path.endsWith('/log') ? { ...body, log: `log${requests++}`, last: 9, signed: null } : body
  expect((await given.verify()).err).toContain('The log was replaced meanwhile: run the command again.')
})

test.each([
  [
    'an invalid URL',
    ['--log', 'nowhere'],
    2,
    '--log must be an http or https URL without a user name, got "nowhere".',
  ],
  ['a URL with a password', ['--log', 'http://a:b@localhost'], 2, '--log must be an http or https URL'],
])('%s is refused', async (_, args, code, message) => {
  const result = await callHere(['verify', ...args])
  expect(result.code).toBe(code)
  expect(result.err).toContain(message)
})

test('a link and a file of others at the name of the partial file are replaced, and the URL is shown without its password', async () => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  const victim = `${given.file}.victim`
  writeFileSync(victim, 'mine')
  symlinkSync(victim, `${given.file}.part`)
  expect(await given.withFile()).toMatchObject({ code: 0 })
  expect([readFileSync(victim, 'utf8'), lstatSync(given.file).mode]).toEqual(['mine', 0o100600])
  const { err } = await given.verify('--log', 'https://user:pass-word@127.0.0.1/')
  expect(err).toContain('--log must be an http or https URL without a user name, got "https://…@127.0.0.1/"')
})

test('a file without a head, a service without a log and a key without the scope are refused', async () => {
  await using given = await prepare(await openTestStore('sqlite', PEOPLE))
  for (const text of ['', 'null', '{"log":"abc"}']) {
    writeFileSync(given.file, text)
    expect((await given.withFile()).err).toBe(
      `passportd: ${given.file} has no head of an event log: name a file that "verify --log" wrote.\n`,
    )
  }
  expect((await given.verify('--key', 'ppd_wrong')).err).toContain('rejected the request (401)')
  given.tamper.with = () => ({ hello: 'world' })
  expect((await given.verify()).err).toBe(
    'passportd: /api/v3/log is not the head of an event log: check the URL.\n',
  )
})
