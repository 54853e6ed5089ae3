import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { everyAnswer } from '../../support/http/every-response.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { INVENTED, linesOf, toLines } from '../../support/store/json-lines.ts'

const few = (from: number, to: number) => linesOf(INVENTED.slice(from, to))

/** A new database and a folder with these files, in which the commands run. */
async function prepare(
  makeDatabase: MakeDatabase,
  files: Record<string, string | Uint8Array> = {},
  bare = false,
) {
  const here = await workplace(makeDatabase, { files, bare })
  return {
    ...here,
    /** In this process, which saves the start of another one. */
    async import(...args: string[]) {
      const paths = args.map((arg) => (arg.startsWith('-') ? arg : join(here.cwd, arg)))
      const { err, ...result } = await here.call('import', ...paths)
      return { ...result, err: err.replaceAll(`${here.cwd}/`, '') }
    },
    async export() {
      const path = join(here.cwd, 'export.jsonl')
      await here.call('export', '--force', path)
      return readFileSync(path, 'utf8')
    },
    async ids() {
      return (await here.look(({ records }) => records.list(-1, 10_000))).map(({ id }) => id)
    },
  }
}

const BAD = `${toLines({ passport_id: 1, main_wallet: '0xA' })}{"passport_id":
${toLines({ passport_id: 2, score: -1 }, { passport_id: 3, main_wallet: '0xa' }, { passport_id: 4 })}`

withEveryEngine('import', (makeDatabase) => {
  test('a data point names its passport by id or wallet, anywhere in the batch', async () => {
    await using here = await prepare(makeDatabase, {
      'a.jsonl': toLines(
        { passport: '0xABC', type: 'gitcoin', value: 23 },
        { passport_id: 1, main_wallet: '0xabc' },
        { passport: 1, type: 'worldcoin', value: true },
      ),
    })
    expect(await here.import('a.jsonl')).toMatchObject({ code: 0 })
    expect(JSON.parse(await here.export())).toMatchObject({
      calculating_score: true,
      data_points: [
        { type: 'gitcoin', value: 23 },
        { type: 'worldcoin', value: true },
      ],
    })
  })

  test('records that depend on later lines are imported at the end', async () => {
    const filler = Array.from({ length: 700 }, (_, at) => ({ passport_id: 1000 + at }))
    await using here = await prepare(makeDatabase, {
      'before.jsonl': toLines({ passport_id: 9, main_wallet: '0xw' }),
      'after.jsonl': toLines(
        { passport: 2, type: 'github', value: 4 },
        { passport_id: 5, main_wallet: '0xw', passport_profile: { bio: 'old' } },
        { passport_id: 6, main_wallet: '0xw' },
        ...filler,
        { passport_id: 2 },
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
      [5, '0xx'],
      [6, '0xw'],
      [9, '0xz'],
    ])
    expect(records.find(({ id }) => id === 5)?.profile.bio).toBe('new')
  })
})

withEngine('sqlite', 'import', (makeDatabase) => {
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

  test('a second import of the same file changes nothing', async () => {
    const points = toLines(
      { passport: 3, type: 'gitcoin', value: 40 },
      { passport: 900, type: 'ens', value: 1 },
    )
    await using here = await prepare(makeDatabase, { 'a.jsonl': few(0, 60) + points })
    const look = async () => ({ answers: await here.look(everyAnswer), lines: await here.export() })
    expect((await here.import('a.jsonl')).err).toStartWith('a.jsonl:62: passport: there is no passport 900')
    await here.call('score')
    const before = await look()
    const { err } = await here.import('a.jsonl')
    expect(err).toContain('62 lines: 0 added, 0 changed, 61 unchanged, 1 refused.\n')
    expect(await look()).toEqual(before)
  })

  test('a number that is too large for a date is kept unchanged', async () => {
    const point = '{"passport_id":7}\n{"passport":7,"type":"base_builder","value":1e16}\n'
    await using here = await prepare(makeDatabase, { 'x.jsonl': point })
    await here.import('x.jsonl')
    expect(await here.export()).toContain('"value":10000000000000000,')
  })

  test('--rescore calculates the score of credentials that carry a score', async () => {
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

  test('a refusal names file, line, field and reason, and the other lines are imported', async () => {
    await using here = await prepare(makeDatabase, { 'bad.jsonl': BAD })
    const { out, err, code } = await here.import('bad.jsonl')
    expect(out).toBe('')
    expect(code).toBe(1)
    expect(err.split('\n')).toEqual([
      'bad.jsonl:2: is not JSON: Unexpected EOF',
      'bad.jsonl:3: score: must be at least 0 or null, got -1',
      'bad.jsonl:4: main_wallet: wallet 0xa belongs to passport 1',
      '5 lines: 2 added, 0 changed, 0 unchanged, 3 refused.',
      'passportd: 3 lines were refused.',
      '',
    ])
    expect(await here.ids()).toEqual([1, 4])
  })

  test('--strict stops at the first refusal, keeps the lines before it, and counts those that were read', async () => {
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

  test('types without a rule are named once', async () => {
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
})

withEngine('sqlite', 'import, independent of the engine,', (makeDatabase) => {
  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['packed', (text: string) => gzipSync(text)],
  ])('reads standard input, %s', async (_, pack) => {
    await using here = await prepare(makeDatabase)
    const { cwd, env } = here
    const { err, code } = await run(['import', '-'], { cwd, env, stdin: pack(`${few(0, 1)}nonsense\n`) })
    expect(code).toBe(1)
    expect(err).toContain('standard input:2: is not JSON: Unexpected identifier "nonsense"\n')
    expect(await here.ids()).toEqual([1])
  })

  test('--rejects writes every refusal with its line', async () => {
    await using here = await prepare(makeDatabase, {
      'bad.jsonl': BAD,
      'rejects.jsonl': 'of an earlier import',
    })
    const { err } = await here.callIn('import', 'bad.jsonl', '--rejects', 'rejects.jsonl')
    expect(err).toContain('passportd: 3 lines were refused (rejects.jsonl).\n')
    const rejects = readFileSync(join(here.cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')
    const rows = rejects.map((text) => JSON.parse(text))
    expect(rows.map(({ file, line, field, reason, text }) => [file, line, field, reason, text])).toEqual([
      ['bad.jsonl', 2, '', 'is not JSON: Unexpected EOF', '{"passport_id":'],
      ['bad.jsonl', 3, 'score', 'must be at least 0 or null, got -1', '{"passport_id":2,"score":-1}'],
      [
        'bad.jsonl',
        4,
        'main_wallet',
        'wallet 0xa belongs to passport 1',
        '{"passport_id":3,"main_wallet":"0xa"}',
      ],
    ])
  })

  test('the terminal shows the first twenty refusals, and --rejects writes all', async () => {
    const bad = `${'nonsense\n'.repeat(30)}${toLines({ passport_id: 1 })}`
    await using here = await prepare(makeDatabase, { 'bad.jsonl': bad })
    const shown = (err: string) => err.split('\n').filter((text) => text.startsWith('bad.jsonl:')).length
    const { err } = await here.import('bad.jsonl')
    expect(shown(err)).toBe(20)
    expect(err).toContain('30 lines were refused (the first are shown; --rejects FILE writes all).\n')
    await here.import('bad.jsonl', '--rejects', 'all')
    expect(readFileSync(join(here.cwd, 'all'), 'utf8').trim().split('\n')).toHaveLength(30)
    expect(await here.ids()).toEqual([1])
  })

  const FILES = { 'a.jsonl': toLines({ passport_id: 1 }) }

  test.each([
    [['nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['a.jsonl', 'nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['.'], 1, '. is a folder: pass the files in it.'],
    [['a.jsonl', '--rejects', './a.jsonl'], 2, '--rejects ./a.jsonl is also imported: choose another file.'],
  ])('reports %p in one sentence, and writes nothing', async (args, code, sentence) => {
    await using here = await prepare(makeDatabase, FILES, true)
    expect(await here.callIn('import', ...args)).toEqual({ out: '', err: `passportd: ${sentence}\n`, code })
    expect(existsSync(here.database)).toBe(false)
    expect(readFileSync(join(here.cwd, 'a.jsonl'), 'utf8')).toBe(FILES['a.jsonl'])
  })

  test('a --rejects file that cannot be opened is reported in one sentence', async () => {
    await using here = await prepare(makeDatabase, FILES, true)
    const { err, code } = await here.import('a.jsonl', '--rejects', 'nowhere/rejects.jsonl')
    expect(code).toBe(1)
    expect(err).toMatch(/^passportd: nowhere\/rejects\.jsonl cannot be opened: [^\n]+\n$/)
    expect(existsSync(here.database)).toBe(false)
  })
})
