import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_TYPES } from '../../../src/core/history/event.ts'
import { EventData } from '../../../src/core/history/event-data.ts'
import { readExamples, usesPythonClient } from '../../support/docs/docs-runner.ts'
import { PAGES } from '../../support/docs/pages.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveRecords } from '../../support/http/server.ts'
import { hasPrograms } from '../../support/programs.ts'
import { installPythonClient } from '../../support/python-client.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { credential, NOON, PEOPLE, record, social } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const HOUR = 3_600_000

describe.if(hasPrograms('python3-build', 'mypy'))('the Python client', () => {
  const folder = tempFolder()
  let client: Awaited<ReturnType<typeof installPythonClient>>
  beforeAll(async () => {
    client = await installPythonClient(folder.path, { packed: true })
  })
  afterAll(() => folder[Symbol.dispose]())

  async function serve(records = PEOPLE) {
    const server = await serveRecords({ now: () => NOON + 2 * HOUR }, records)
    return { ...server, key: (await makeKey(server.store, 1)).key }
  }

  test('is a wheel and a source distribution with the version of the service, types and no dependencies', async () => {
    const { version } = await Bun.file(join(ROOT, 'package.json')).json()
    const project = Bun.TOML.parse(await Bun.file(join(ROOT, 'packages/python/pyproject.toml')).text()) as {
      project: { version: string }
    }
    expect(project.project.version).toBe(version)
    const normal = version.replace('-dev', '.dev0')
    expect(readdirSync(client.dist).sort()).toEqual([
      `passportd-client-${normal}.tar.gz`,
      `passportd_client-${normal}-py3-none-any.whl`,
    ])
    expect(await Bun.file(join(client.site, 'passportd_client/py.typed')).exists()).toBe(true)
    const metadata = await Bun.file(join(client.site, `passportd_client-${normal}.dist-info/METADATA`)).text()
    expect(metadata).not.toContain('Requires-Dist')
  })

  test('passes strict type checks together with the examples in the docs, and its event types have the data of the schemas', async () => {
    const examples = PAGES.flatMap(readExamples).filter(({ text }) => usesPythonClient(text))
    expect(examples).not.toBeEmpty()
    const paths = examples.map((_, index) => join(folder.path, `example${index}.py`))
    for (const [index, { text }] of examples.entries()) await Bun.write(paths[index] as string, text)
    const checked = [join(client.site, 'passportd_client'), ...paths]
    await client.command(['mypy', '--strict', ...checked], { MYPYPATH: client.site })
    // setup.py pairs both lists.
    expect(Object.keys(EventData.properties)).toEqual([...EVENT_TYPES])
  })

  test('reads passports and credentials of V1', async () => {
    await using service = await serve()
    const program = `
show([passport["passport_id"] for passport in client.passports.list(per_page=2)])
show(client.passports.page(page=2, per_page=2, keyword="a"))
show(client.passports.get(7))
show(client.credentials.list(7))
show(client.passports.get(client.passports.get(7)["main_wallet"]) == client.passports.get("7"))
`
    const [ids, page, passport, credentials, isSame] = await client.run(program, service.url)
    const { body } = await service.get('/api/v1/passports?per_page=250')
    expect(ids).toEqual(body.passports.map((each: { passport_id: number }) => each.passport_id))
    expect(page).toEqual((await service.get('/api/v1/passports?page=2&per_page=2&keyword=a')).body)
    expect({ passport }).toEqual((await service.get('/api/v1/passports/7')).body)
    expect({ passport_credentials: credentials }).toEqual(
      (await service.get('/api/v1/passport_credentials?passport_id=7')).body,
    )
    expect(isSame).toBe(true)
  })

  test('reads passports, lookups, lists, groups, differences and rule sets of v3', async () => {
    await using service = await serve([])
    const { store } = service
    const save = (score: number, hours: number) =>
      saveRecords(
        store,
        [
          record(7, {
            scores: { total: score, identity: score },
            credentials: [credential('c', { type: 'github', score })],
            calculatedAt: NOON + score,
          }),
        ],
        { now: NOON + hours * HOUR },
      )
    await save(10, 0)
    await save(14, 1)
    await saveRecords(
      store,
      PEOPLE.filter(({ id }) => id !== 7),
    )
    const program = `
v3 = client.v3
noon = datetime.datetime.fromtimestamp(${NOON / 1000}, datetime.timezone.utc)
past = noon + datetime.timedelta(hours=0.5)
show(v3.passport(7))
show(v3.passport("7", include=["credentials", "standing"])["standing"])
show(v3.passport(7, select=["score", "passport_profile.tags"], as_of=past))
keys = [7 if at % 2 else f"lens:{at}" for at in range(2345)]
body = v3.lookup(keys, select=["passport_id"])
show([[item["key"] for item in body["items"]] == [str(key) for key in keys], body["found"], body["items"][:2]])
show(v3.lookup([]))
show([passport["passport_id"] for passport in v3.list(sort="passport_id", limit=2)])
show(len(list(v3.list(include=["credentials"], q="ada"))))
show(v3.page(group_by=["human", "tag"], group_prefix="f", limit=1, filter="score:>=0"))
show(v3.diff(7, past, "${new Date(NOON + 1.5 * HOUR).toISOString()}"))
show([event["type"] for event in v3.events(passport=7)])
show(list(v3.events(after=v3.cursor(), types=["passport.added"])))
show(failure_of(lambda: v3.rules("a+b/c")))
show([item["change"]["score"] for item in v3.list(sort="-change", since=past) if item["passport_id"] == 7])
found = v3.search("7", limit=1, select=["score"], group_by="human")
show([found["items"][0], found["matches"], found["reading"]["chips"], v3.scores()["total"]])
`
    const shown = await client.run(program, service.url, service.key)
    const { body: list } = await service.get('/api/v3/passports?sort=passport_id')
    const ids = list.items.map(({ passport_id }: { passport_id: number }) => passport_id)
    expect(shown[0]).toEqual((await service.get('/api/v3/passports/7')).body)
    expect(shown[1]).toMatchObject({ of: ids.length })
    expect(shown[2]).toMatchObject({ score: 10, passport_profile: { tags: expect.anything() } })
    expect(shown[3]).toEqual([
      true,
      1172,
      [
        { key: 'lens:0', error: 'not_found' },
        { key: '7', passport: { passport_id: 7 } },
      ],
    ])
    expect(shown[4]).toEqual({ items: [], found: 0 })
    expect(shown[5]).toEqual(ids)
    expect(shown[6]).toBeNumber()
    expect(shown[7]).toMatchObject({ total: ids.length, groups: expect.anything() })
    expect(shown[8]).toMatchObject({
      score: [10, 14],
      causes: [{ type: 'github', delta: 4, cause: 'record' }],
    })
    expect(shown[9]).toEqual(['passport.added', 'score.changed'])
    expect(shown[10]).toEqual([])
    expect(shown[11]).toMatchObject({ code: 'not_found', status: 404 })
    expect(shown[12]).toEqual([[10, 14]])
    expect(shown[13]).toEqual([{ score: 14 }, [{ passport_id: 7, kind: 'id', text: '7' }], [], ids.length])
  })

  test('raises errors with code, status, request id, invalid values and further members', async () => {
    const twins = [1, 2].map((id) => record(id, { socials: [social('github', 'zoe')] }))
    await using service = await serve([...PEOPLE, ...twins])
    const program = `
show(failure_of(lambda: client.passports.get(99999999)))
show(failure_of(lambda: client.v3.passport("github:zoe")))
show(failure_of(lambda: client.v3.page(filter="scor:1")))
show(failure_of(lambda: list(client.v3.events(after="foreign-1"))))
show(failure_of(lambda: Client(sys.argv[1]).v3.lookup([7])))
try: list(client.v3.events(after="foreign-1", follow=True))
except CursorExpiredError as error: show(len(list(client.v3.events(after=error.oldest_cursor))))
`
    const [missing, ambiguous, invalid, expired, anonymous, events] = await client.run(
      program,
      service.url,
      service.key,
    )
    expect(missing).toMatchObject({
      code: 'not_found',
      status: 404,
      message: 'Resource not found.',
      retry_after: null,
    })
    expect(missing).toHaveProperty('request_id', expect.stringMatching(/^[\w-]{8,}$/))
    expect(ambiguous).toMatchObject({ code: 'ambiguous', status: 409, members: { candidates: [1, 2] } })
    expect(invalid).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '?filter' }], members: {} })
    expect(expired).toMatchObject({
      code: 'cursor_expired',
      status: 410,
      members: { oldest_cursor: expect.anything() },
    })
    expect(anonymous).toMatchObject({ code: 'unauthorized', status: 401 })
    expect(events).toBeGreaterThan(PEOPLE.length)
  })

  test('refuses arguments that would become another request with a sentence, without sending it', async () => {
    const cases: [call: string, message: unknown][] = [
      ['Client("ftp://host")', `base_url must be a URL such as https://host, got 'ftp://host'.`],
      ['Client("http://host/ü")', "base_url must be a URL such as https://host, got 'http://host/ü'."],
      ['Client("http://host", "ключ")', 'api_key contains a character that is not printable ASCII.'],
      [
        'client.passports.get(" ")',
        "A key must be a passport id, a wallet or, in v3, a handle such as github:zoe, got ' '.",
      ],
      [
        'client.credentials.list(True)',
        'A key must be a passport id, a wallet or, in v3, a handle such as github:zoe, got True.',
      ],
      [
        'client.v3.lookup("github:zoe")',
        "keys must be a list of passport ids, wallets and handles, got 'github:zoe'.",
      ],
      [
        'list(client.v3.events(passport=""))',
        "A key must be a passport id, a wallet or, in v3, a handle such as github:zoe, got ''.",
      ],
      ['client.v3.passport(7, include="standing")', "include must be a list of names, got 'standing'."],
      ['list(client.v3.copy(select="score"))', "select must be a list of names, got 'score'."],
      [
        'client.v3.diff(7, datetime.datetime(2026, 1, 2))',
        'from must be a datetime with a timezone, or a text, got datetime.datetime(2026, 1, 2, 0, 0).',
      ],
    ]
    const program = cases.map(([call]) => `show(failure_of(lambda: ${call}))`).join('\n')
    // A request would fail with another error.
    expect(await client.run(program, 'http://127.0.0.1:1')).toEqual(cases.map(([, message]) => message))
  })

  test('raises the sentence of the service for an invalid name, number, time or cursor', async () => {
    await using service = await serve()
    const calls = {
      'client.v3.passport(7, include=["all"])': 'include',
      'client.v3.page(include=["standing"], limit=51)': 'limit',
      'client.v3.page(group_by="score")': 'group_by',
      'list(client.v3.list(sort="name"))': 'sort',
      'list(client.v3.list(sort="-change", since="2026-01-02T12:00"))': 'since',
      'client.v3.diff(7, "2026-01-02T12:00")': 'from',
      'list(client.v3.events(types=[]))': 'types',
      'list(client.v3.copy(select=["scores"]))': 'select',
      'list(client.v3.copy(after="7"))': 'after',
    }
    const program = Object.keys(calls).map((call) => `show(failure_of(lambda: ${call}))`)
    expect(await client.run(program.join('\n'), service.url, service.key)).toMatchObject(
      Object.values(calls).map((name) => ({ code: 'invalid_request', errors: [{ pointer: `?${name}` }] })),
    )
  })
})
