import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { SQL } from 'bun'
import { COMMAND, run } from '../../../support/cli.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { startPostgres } from '../../../support/postgres/postgres.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../../support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../../support/store/json-lines.ts'
import { openStore, SERVE_TIMEOUT } from '../../../support/store/open.ts'
import { tempFolder } from '../../../support/temp-folder.ts'
import { until } from '../../../support/wait-until.ts'

const few = (from: number, to: number) => linesOf(INVENTED.slice(from, to))

/** Creates a database, and a folder with these files. Commands run in that folder. */
async function prepare(
  makeDatabase: MakeDatabase,
  files: Record<string, string | Uint8Array> = {},
  bare = false,
) {
  const here = await workplace(makeDatabase, { files, bare })
  return {
    ...here,
    import: (...args: string[]) => here.callIn('import', ...args),
    async ids() {
      return (await here.look(({ records }) => records.list(-1, 10_000))).map(({ id }) => id)
    },
  }
}

const BAD = `${toLines({ passport_id: 1, main_wallet: '0xA' })}{"passport_id":
${toLines({ passport_id: 2, score: -1 }, { passport_id: 3, main_wallet: '0xa' }, { passport_id: 4 })}`

withEveryEngine('import', (makeDatabase) => {
  test('records that depend on later lines are imported at the end', async () => {
    const filler = Array.from({ length: 700 }, (_, at) => ({ passport_id: 1000 + at }))
    await using here = await prepare(makeDatabase, {
      'before.jsonl': toLines({ passport_id: 9, main_wallet: '0xw' }),
      'after.jsonl': toLines(
        { passport: '0xTWO', type: 'github', value: 4 },
        { passport_id: 5, main_wallet: '0xw', passport_profile: { bio: 'old' } },
        { passport_id: 6, main_wallet: '0xw' },
        ...filler,
        { passport_id: 2, main_wallet: '0xtwo' },
        { passport_id: 5, main_wallet: '0xx', passport_profile: { bio: 'new' } },
        { passport_id: 9, main_wallet: '0xz' },
        { passport: 99, type: 'github', value: 4 },
      ),
    })
    await here.import('before.jsonl')
    const { err, code } = await here.import('after.jsonl')
    expect(err.split('\n')).toEqual([
      'after.jsonl:707: passport: there is no passport 99 here',
      '707 lines: 704 added, 1 changed, 0 unchanged, 1 refused, 1 replaced by a later line.',
      'passportd: 1 line was refused.',
      '',
    ])
    expect(code).toBe(1)
    const records = await here.look((store) => store.records.list(-1, 10_000))
    const wallets = records.flatMap(({ id, mainWallet }) => (mainWallet ? [[id, mainWallet]] : []))
    expect(wallets).toEqual([
      [2, '0xtwo'],
      [5, '0xx'],
      [6, '0xw'],
      [9, '0xz'],
    ])
    expect(records.find(({ id }) => id === 5)?.profile.bio).toBe('new')
  })

  test('import --strict stops at the first refusal, imports the lines before it, and counts the lines that were read', async () => {
    await using here = await prepare(makeDatabase, {
      'bad.jsonl': `${few(0, 600)}nonsense\n${toLines({ passport_id: 5000 })}more\n`,
      'next.jsonl': toLines({ passport_id: 6000 }),
      'taken.jsonl': toLines(
        { passport_id: 7000, main_wallet: '0xa' },
        { passport_id: 7001, main_wallet: '0xa' },
        { passport_id: 7002 },
      ),
    })
    const { err, code } = await here.import('bad.jsonl', 'next.jsonl', '--strict')
    expect(code).toBe(1)
    expect(err).toStartWith('bad.jsonl:601: is not JSON')
    expect(err).toEndWith(
      '601 lines: 600 added, 0 changed, 0 unchanged, 1 refused.\npassportd: Stopped: 1 line was refused.\n',
    )
    expect(await here.ids()).toEqual(INVENTED.slice(0, 600).map(({ id }) => id))
    expect((await here.import('taken.jsonl', '--strict')).err).toContain(
      '3 lines: 1 added, 0 changed, 0 unchanged, 1 refused, 1 not imported.\n',
    )
  })
})

withEngine('sqlite', 'import', (makeDatabase) => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'an import that %s ends says what it saved, and the same command completes it',
    async (signal) => {
      await using here = await prepare(makeDatabase, { 'many.jsonl': linesOf(INVENTED) }, true)
      const child = Bun.spawn([...COMMAND, 'import', '-'], { ...here, stdin: 'pipe', stderr: 'pipe' })
      child.stdin.write(few(0, 700))
      await child.stdin.flush()
      await until(() => existsSync(here.database))
      await until(async () => (await here.ids()).length === 500)
      child.kill(signal)
      expect(await new Response(child.stderr).text()).toBe(
        '700 lines: 500 added, 0 changed, 0 unchanged, 200 not imported.\npassportd: Stopped. Run the command again to continue.\n',
      )
      expect(await child.exited).toBe(1)
      expect((await here.import('many.jsonl')).err).toBe(
        '1,000 lines: 500 added, 0 changed, 500 unchanged.\n',
      )
    },
  )

  test('import reads several files, plain and gzip, under any name, and counts unknown fields', async () => {
    await using here = await prepare(makeDatabase, {
      'a.jsonl': few(0, 2),
      'b.data': gzipSync(few(2, 4)),
      'c.jsonl.gz': gzipSync(few(4, 5)),
      'd.jsonl': toLines({ passport_id: 6, x: 1, passport_profile: { y: 2 } }),
      'empty.jsonl': '',
    })
    expect(await here.import('a.jsonl', 'b.data', 'empty.jsonl', 'c.jsonl.gz', 'd.jsonl')).toEqual({
      out: '',
      err: '6 lines: 6 added, 0 changed, 0 unchanged, 2 unknown fields ignored.\n',
      code: 0,
    })
    expect(await here.ids()).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('import --rescore replaces the scores of credentials in the file by calculated scores', async () => {
    const credentials = [
      { id: 'c', type: 'gitcoin', category: 'Identity', score: 1, max_score: 20, value: '40' },
    ]
    await using here = await prepare(makeDatabase, {
      'a.jsonl': toLines({ passport_id: 1, identity_score: 1, score: 1, credentials }),
    })
    const score = async () => {
      await here.call('score')
      const [passport] = await here.look(({ records }) => records.list(-1, 1))
      return passport?.scores?.total
    }
    await here.import('a.jsonl')
    expect(await score()).toBe(1)
    await here.import('a.jsonl', '--rescore')
    expect(await score()).toBe(20)
  })

  test('a refusal names file, line, field and reason, and is also in the file of --rejects; the other lines are imported', async () => {
    const rejects = 'of an earlier import'
    await using here = await prepare(makeDatabase, { 'bad.jsonl': BAD, 'rejects.jsonl': rejects })
    const { out, err, code } = await here.callIn('import', 'bad.jsonl', '--rejects', 'rejects.jsonl')
    expect({ out, code }).toEqual({ out: '', code: 1 })
    expect(err.split('\n')).toEqual([
      'bad.jsonl:2: is not JSON: Unexpected EOF',
      'bad.jsonl:3: score: must be at least 0 or null, got -1',
      'bad.jsonl:4: main_wallet: wallet 0xa belongs to passport 1',
      '5 lines: 2 added, 0 changed, 0 unchanged, 3 refused.',
      'passportd: 3 lines were refused (rejects.jsonl).',
      '',
    ])
    expect(await here.ids()).toEqual([1, 4])
    const rows = readFileSync(here.path('rejects.jsonl'), 'utf8').trim().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { file: 'bad.jsonl', line: 2, field: '', text: '{"passport_id":' },
      { line: 3, field: 'score', reason: 'must be at least 0 or null, got -1' },
      { line: 4, field: 'main_wallet', text: '{"passport_id":3,"main_wallet":"0xa"}' },
    ])
  })

  test('import reports only once that a type has no rule', async () => {
    const points = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ passport: 1, type: `type ${at}`, value: 1 }))
    const credentials = [{ type: 'unscored' }, { type: 'scored', score: 1 }, { type: 'gitcoin' }]
    await using here = await prepare(makeDatabase, {
      'few.jsonl': toLines({ passport_id: 1, credentials }, ...points(2), ...points(2)),
      'many.jsonl': toLines(
        { passport_id: 1, data_points: [{ type: 'own\u001b', value: 1 }] },
        ...points(30),
      ),
    })
    expect((await here.import('few.jsonl')).err).toEndWith(
      '\nThe rule set has no rule for 3 types, which give no points: "unscored", "type 0", "type 1".\n',
    )
    expect((await here.import('many.jsonl')).err).toMatch(
      /\nThe rule set has no rule for 31 types, which give no points: "own.*", ("type \d", ){9}and 21 more\.\n$/,
    )
  })

  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['packed', (text: string) => gzipSync(text)],
  ])('import reads standard input, %s', async (_, pack) => {
    await using here = await prepare(makeDatabase)
    const { cwd, env } = here
    const { err, code } = await run(['import', '-'], { cwd, env, stdin: pack(`${few(0, 1)}nonsense\n`) })
    expect(code).toBe(1)
    expect(err).toContain('standard input:2: is not JSON: Unexpected identifier "nonsense"\n')
    expect(await here.ids()).toEqual([1])
  })

  test('the terminal shows the first twenty refusals, and --rejects writes all refusals', async () => {
    const bad = `${'nonsense\n'.repeat(30)}${toLines({ passport_id: 1 })}`
    await using here = await prepare(makeDatabase, { 'bad.jsonl': bad })
    const shown = (err: string) => err.split('\n').filter((text) => text.startsWith('bad.jsonl:')).length
    const { err } = await here.import('bad.jsonl')
    expect(shown(err)).toBe(20)
    expect(err).toContain('30 lines were refused (the first are shown; --rejects FILE writes all).\n')
    await here.import('bad.jsonl', '--rejects', 'all')
    expect(readFileSync(here.path('all'), 'utf8').trim().split('\n')).toHaveLength(30)
    expect(await here.ids()).toEqual([1])
  })

  const FILES = { 'a.jsonl': toLines({ passport_id: 1 }) }

  test.each([
    [['nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['a.jsonl', 'nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['.'], 1, '. is a folder: pass the files in it.'],
    [['a.jsonl', '--rejects', './a.jsonl'], 2, '--rejects ./a.jsonl is also imported: choose another file.'],
    [['a.jsonl', '--rejects', 'no/r.jsonl'], 1, 'no/r.jsonl cannot be opened: '],
  ])('import reports %p in one sentence, and writes nothing', async (args, code, sentence) => {
    await using here = await prepare(makeDatabase, FILES, true)
    const { out, err, code: ended } = await here.callIn('import', ...args)
    expect({ out, code: ended, lines: err.split('\n').length }).toEqual({ out: '', code, lines: 2 })
    expect(err).toStartWith(`passportd: ${sentence}`)
    expect(existsSync(here.database)).toBe(false)
    expect(readFileSync(here.path('a.jsonl'), 'utf8')).toBe(FILES['a.jsonl'])
  })
})

test('import waits for a PostgreSQL server that is stuck for a while', async () => {
  await using server = await startPostgres()
  using folder = tempFolder()
  const people = Array.from({ length: 2000 }, (_, id) => ({ passport_id: id }))
  await Bun.write(`${folder.path}/people.jsonl`, toLines(...people))
  const env = { DATABASE_URL: server.url }
  await callHere(['migrate'], { env })
  await using sql = new SQL(server.url, { max: 1 })
  const node = await openStore({ engine: 'postgres', url: server.url }, SERVE_TIMEOUT)
  const imported = run(['import', 'people.jsonl'], { cwd: folder.path, env })
  await until(async () => (await sql`select from passports limit 1`).length > 0)
  server.freeze()
  // The shorter timeout of `serve` expires, but the import still waits.
  expect((await Promise.allSettled([node.passports.find({ id: 1 })]))[0].status).toBe('rejected')
  server.thaw()
  await node.database.close()
  expect(await imported).toMatchObject({ code: 0, err: expect.stringContaining('2,000 added') })
})
