import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { createRandom } from '../../src/ingest/demo/random.ts'
import { presentRecord } from '../../src/ingest/export.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { run, serveProcess } from '../support/cli.ts'
import { everyAnswer } from '../support/every-answer.ts'
import { tempFolder } from '../support/temp.ts'

const MAIN = join(import.meta.dir, '../../src/cli/main.ts')
const PEOPLE = inventPeople().slice(0, 1000)

/** As JSON lines. Each edition has other ids and wallets. */
function linesOf(people: typeof PEOPLE, edition = 0): string {
  return people
    .map((person) => ({
      ...person,
      id: person.id + edition * 1000,
      mainWallet: `${person.mainWallet}${edition}`,
      verifiedWallets: person.verifiedWallets.map((wallet) => `${wallet}${edition}`),
    }))
    .map((person) => `${JSON.stringify(presentRecord(person))}\n`)
    .join('')
}

const line = (fields: object) => `${JSON.stringify(fields)}\n`

/** A folder with these files in it, in which the commands run. */
function prepare(files: Record<string, string | Uint8Array> = {}) {
  const folder = tempFolder()
  const cwd = folder.path
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(cwd, name), contents)
  return {
    cwd,
    database: join(cwd, 'data/passportd.db'),
    import: (...args: string[]) => run(['import', ...args], { cwd }),
    async export() {
      return (await run(['export'], { cwd })).out
    },
    async ids() {
      const lines = (await this.export()).split('\n').filter(Boolean)
      return lines.map((text) => JSON.parse(text).passport_id)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe('takes in', () => {
  test('a plain file', async () => {
    using here = prepare({ 'a.jsonl': linesOf(PEOPLE.slice(0, 3)) })
    expect(await here.import('a.jsonl')).toEqual({
      out: '',
      err: '3 lines: 3 added, 0 changed, 0 unchanged.\n',
      code: 0,
    })
    expect(await here.ids()).toEqual([1, 2, 3])
  })

  test('gzip under any name, and several files of both kinds', async () => {
    using here = prepare({
      'a.jsonl': linesOf(PEOPLE.slice(0, 2)),
      'b.data': gzipSync(linesOf(PEOPLE.slice(2, 4))),
      'c.jsonl.gz': gzipSync(linesOf(PEOPLE.slice(4, 5))),
      'empty.jsonl': '',
    })
    const { err, code } = await here.import('a.jsonl', 'b.data', 'empty.jsonl', 'c.jsonl.gz')
    expect({ err, code }).toEqual({ err: '5 lines: 5 added, 0 changed, 0 unchanged.\n', code: 0 })
    expect(await here.ids()).toEqual([1, 2, 3, 4, 5])
  })

  test.each([
    ['plain', (text: string) => Buffer.from(text)],
    ['packed', (text: string) => gzipSync(text)],
  ])('standard input, %s', async (_, pack) => {
    using here = prepare()
    const { cwd } = here
    const stdin = pack(`${linesOf(PEOPLE.slice(0, 1))}nonsense\n`)
    const { err, code } = await run(['import', '-'], { cwd, stdin })
    expect(code).toBe(1)
    expect(err).toContain('standard input:2: is not JSON: Unexpected identifier "nonsense"\n')
    expect(await here.ids()).toEqual([1])
  })

  test('a data point, by id and by wallet, wherever in the batch its passport is', async () => {
    using here = prepare({
      'a.jsonl':
        line({ passport: '0xABC', type: 'gitcoin', value: 23 }) +
        line({ passport_id: 1, main_wallet: '0xabc' }) +
        line({ passport: 1, type: 'worldcoin', value: true }),
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

  test('unknown fields by leaving them out, and says how many', async () => {
    using here = prepare({ 'a.jsonl': line({ passport_id: 1, x: 1, passport_profile: { y: 2 } }) })
    const { err, code } = await here.import('a.jsonl')
    expect(err).toBe('1 line: 1 added, 0 changed, 0 unchanged, 2 unknown fields ignored.\n')
    expect(code).toBe(0)
  })
})

test('the same file twice changes nothing', async () => {
  const points =
    line({ passport: 3, type: 'gitcoin', value: 40 }) + line({ passport: 900, type: 'ens', value: 1 })
  using here = prepare({ 'a.jsonl': linesOf(PEOPLE.slice(0, 60)) + points })
  const look = async () => {
    const store = openSqlite(here.database)
    const answers = await everyAnswer(store)
    await store.close()
    return { answers, lines: await here.export() }
  }
  expect((await here.import('a.jsonl')).err).toStartWith('a.jsonl:62: passport: there is no passport 900')
  await run(['score'], { cwd: here.cwd })
  const before = await look()
  const { err } = await here.import('a.jsonl')
  expect(err).toContain('62 lines: 0 added, 0 changed, 61 unchanged.\n')
  expect(await look()).toEqual(before)
})

describe('refuses', () => {
  const BAD = `${line({ passport_id: 1, main_wallet: '0xA' })}{"passport_id":\n${line({ passport_id: 2, score: -1 })}${line({ passport_id: 3, main_wallet: '0xa' })}${line({ passport_id: 4 })}`

  test('by file, line, field and reason, and keeps the rest', async () => {
    using here = prepare({ 'bad.jsonl': BAD })
    const { out, err, code } = await here.import('bad.jsonl')
    expect(out).toBe('')
    expect(code).toBe(1)
    expect(err.split('\n')).toEqual([
      'bad.jsonl:2: is not JSON: Unexpected EOF',
      'bad.jsonl:3: score: must be at least 0 or null, got -1',
      'bad.jsonl:4: main_wallet: wallet 0xa belongs to passport 1',
      '5 lines: 2 added, 0 changed, 0 unchanged.',
      'passportd: 3 lines were refused.',
      '',
    ])
    expect(await here.ids()).toEqual([1, 4])
  })

  test('into the file of --rejects, each with its line', async () => {
    using here = prepare({ 'bad.jsonl': BAD, 'rejects.jsonl': 'of an earlier import' })
    const { err } = await here.import('bad.jsonl', '--rejects', 'rejects.jsonl')
    expect(err).toContain('passportd: 3 lines were refused (rejects.jsonl).\n')
    const rejects = readFileSync(join(here.cwd, 'rejects.jsonl'), 'utf8').trim().split('\n')
    expect(rejects.map((text) => JSON.parse(text))).toEqual([
      {
        file: 'bad.jsonl',
        line: 2,
        field: '',
        reason: 'is not JSON: Unexpected EOF',
        text: '{"passport_id":',
      },
      {
        file: 'bad.jsonl',
        line: 3,
        field: 'score',
        reason: 'must be at least 0 or null, got -1',
        text: '{"passport_id":2,"score":-1}',
      },
      {
        file: 'bad.jsonl',
        line: 4,
        field: 'main_wallet',
        reason: 'wallet 0xa belongs to passport 1',
        text: '{"passport_id":3,"main_wallet":"0xa"}',
      },
    ])
  })

  test('showing the first twenty, while --rejects has them all', async () => {
    using here = prepare({ 'bad.jsonl': `${'nonsense\n'.repeat(30)}${line({ passport_id: 1 })}` })
    const shown = (err: string) => err.split('\n').filter((text) => text.startsWith('bad.jsonl:')).length
    const { err } = await here.import('bad.jsonl')
    expect(shown(err)).toBe(20)
    expect(err).toContain('30 lines were refused (the first are shown; --rejects FILE keeps all).\n')
    await here.import('bad.jsonl', '--rejects', 'all')
    expect(readFileSync(join(here.cwd, 'all'), 'utf8').trim().split('\n')).toHaveLength(30)
    expect(await here.ids()).toEqual([1])
  })

  test('stopping at the first with --strict, and keeps what came before', async () => {
    using here = prepare({
      'bad.jsonl': `${linesOf(PEOPLE.slice(0, 600))}nonsense\n${line({ passport_id: 5000 })}more\n`,
      'next.jsonl': line({ passport_id: 6000 }),
    })
    const { err, code } = await here.import('bad.jsonl', 'next.jsonl', '--strict')
    expect(code).toBe(1)
    expect(err).toStartWith('bad.jsonl:601: is not JSON')
    expect(err).toEndWith('passportd: Stopped: 1 line was refused.\n')
    expect(await here.ids()).toEqual(PEOPLE.slice(0, 600).map(({ id }) => id))
  })

  test('the rest of a file that is cut off, and goes on with the next', async () => {
    const packed = gzipSync(linesOf(PEOPLE.slice(0, 100)))
    using here = prepare({ 'cut.gz': packed.subarray(0, -6), 'next.jsonl': line({ passport_id: 5000 }) })
    const { err, code } = await here.import('cut.gz', 'next.jsonl')
    expect(code).toBe(1)
    expect(err).toContain('cut.gz:101: cannot be read on: unexpected end of file\n')
    expect(await here.ids()).toHaveLength(101)
  })

  test('a line of 50 MB, and reads those after it', async () => {
    using here = prepare({ 'long.jsonl': line({ passport_id: 1 }) })
    const path = join(here.cwd, 'long.jsonl')
    appendFileSync(path, '{"passport_id":2,"passport_profile":{"bio":"')
    for (let at = 0; at < 50; at++) appendFileSync(path, 'x'.repeat(1_000_000))
    appendFileSync(path, `"}}\n${line({ passport_id: 3 })}`)
    const { err } = await here.import('long.jsonl')
    expect(err).toStartWith('long.jsonl:2: is longer than 4 MiB\n')
    expect(await here.ids()).toEqual([1, 3])
  })

  test('records of removed passports quietly, unless with --restore', async () => {
    using here = prepare({ 'a.jsonl': linesOf(PEOPLE.slice(0, 3)) })
    await here.import('a.jsonl')
    await run(['remove', '2'], { cwd: here.cwd })
    const { err, code } = await here.import('a.jsonl')
    expect(code).toBe(0)
    expect(err).toContain('2 unchanged, 1 of removed passports left out (--restore lets them in).\n')
    expect(await here.import('a.jsonl', '--restore')).toMatchObject({ code: 0 })
    expect(await here.ids()).toEqual([1, 2, 3])
  })
})

describe('--dry-run', () => {
  test('says what would become of the lines, and writes nothing', async () => {
    using here = prepare({
      'a.jsonl': linesOf(PEOPLE.slice(0, 3)),
      'b.jsonl': `${linesOf(PEOPLE.slice(1, 5))}nonsense\n`,
    })
    await here.import('a.jsonl')
    const before = await here.export()
    const { err, code } = await here.import('b.jsonl', '--dry-run')
    expect(code).toBe(1)
    expect(err).toContain('Nothing was written. 5 lines: 2 added, 0 changed, 2 unchanged.\n')
    expect(await here.export()).toBe(before)
  })
})

describe('one clear sentence', () => {
  const FILES = { 'a.jsonl': line({ passport_id: 1 }) }

  test.each([
    [['nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['a.jsonl', 'nowhere.jsonl'], 1, 'There is no file nowhere.jsonl.'],
    [['.'], 1, '. is a folder: name the files in it.'],
    [[], 2, 'Name the files, or - for standard input: passportd import FILE...'],
    [['a.jsonl', '--fast'], 2, `Unknown option '--fast'. See "passportd import --help".`],
    [
      ['a.jsonl', '--rejects', './a.jsonl'],
      2,
      '--rejects ./a.jsonl is a file that is imported: name another.',
    ],
  ])('for %p, before anything is written', async (args, code, sentence) => {
    using here = prepare(FILES)
    expect(await here.import(...args)).toEqual({ out: '', err: `passportd: ${sentence}\n`, code })
    expect(existsSync(here.database)).toBe(false)
    expect(readFileSync(join(here.cwd, 'a.jsonl'), 'utf8')).toBe(FILES['a.jsonl'])
  })

  test.each(['nowhere/rejects.jsonl', 'folder'])('for --rejects %s that cannot be written', async (path) => {
    using here = prepare(FILES)
    mkdirSync(join(here.cwd, 'folder'))
    const { err, code } = await here.import('a.jsonl', '--rejects', path)
    expect(code).toBe(1)
    expect(err).toMatch(new RegExp(`^passportd: ${path} cannot be written: [^\\n]+\\n$`))
    expect(existsSync(here.database)).toBe(false)
  })

  test('for rules that will not do', async () => {
    using here = prepare({ ...FILES, 'rules.json': '{}' })
    const { err, code } = await run(['import', 'a.jsonl'], { cwd: here.cwd, env: { RULES: 'rules.json' } })
    expect(code).toBe(1)
    expect(err).toStartWith('passportd: RULES names rules.json, which will not do: ')
  })
})

test('--rescore has the rules score what carries a score of its own', async () => {
  const credentials = [
    { id: 'c', type: 'gitcoin', category: 'Identity', score: 1, max_score: 20, value: '40' },
  ]
  using here = prepare({ 'a.jsonl': line({ passport_id: 1, identity_score: 1, score: 1, credentials }) })
  const score = async () => {
    await run(['score'], { cwd: here.cwd })
    return JSON.parse(await here.export()).score
  }
  await here.import('a.jsonl')
  expect(await score()).toBe(1)
  await here.import('a.jsonl', '--rescore')
  expect(await score()).toBe(20)
})

const BATCH = 500
const MANY = [0, 1, 2].map((edition) => linesOf(PEOPLE, edition)).join('')

function countPassports(path: string): number {
  if (!existsSync(path)) return 0
  const database = new Database(path, { readonly: true })
  try {
    const { count } = database.query('select count(*) as count from passports').get() as { count: number }
    return count
  } catch {
    // Killed before there was a table.
    return 0
  } finally {
    database.close()
  }
}

test('killed at random moments twenty times and resumed, it ends as if undisturbed', async () => {
  using undisturbed = prepare({ 'many.jsonl': MANY })
  const begin = performance.now()
  await undisturbed.import('many.jsonl')
  const duration = performance.now() - begin
  const expected = await undisturbed.export()

  const random = createRandom(20)
  let partly = 0
  let here = prepare({ 'many.jsonl': MANY })
  try {
    for (let kill = 0; kill < 20; kill++) {
      const child = Bun.spawn([process.execPath, MAIN, 'import', 'many.jsonl'], {
        cwd: here.cwd,
        env: {},
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      await Bun.sleep(duration * (0.1 + 0.8 * random.next()))
      child.kill('SIGKILL')
      await child.exited
      const count = countPassports(here.database)
      expect(count % BATCH).toBe(0)
      if (count > 0 && count < 3000) partly++
      if (count < 3000) continue
      expect(await here.export()).toBe(expected)
      here[Symbol.dispose]()
      here = prepare({ 'many.jsonl': MANY })
    }
    expect(partly).toBeGreaterThan(2)
    expect(await here.import('many.jsonl')).toMatchObject({ code: 0 })
    expect(await here.export()).toBe(expected)
    const database = new Database(here.database, { readonly: true })
    expect(database.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(database.query('pragma foreign_key_check').all()).toEqual([])
    database.close()
  } finally {
    here[Symbol.dispose]()
  }
}, 40_000)

test('a server on the same database answers all the while, and sees whole batches only', async () => {
  using here = prepare({
    'first.jsonl': linesOf(PEOPLE.slice(0, BATCH)),
    'many.jsonl': [1, 2, 3].map((edition) => linesOf(PEOPLE, edition)).join(''),
  })
  await here.import('first.jsonl')
  await using server = await serveProcess([], { cwd: here.cwd })
  const imported = here.import('many.jsonl')
  let isOver = false
  imported.then(() => {
    isOver = true
  })
  const totals: number[] = []
  while (!isOver) {
    const paths = [
      'passports?per_page=1',
      'passports?keyword=a',
      'passports/7',
      'passport_credentials?passport_id=7',
    ]
    const answers = await Promise.all(paths.map((path) => fetch(`${server.url}/api/v1/${path}`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const [list] = await Promise.all(answers.map((answer) => answer.json()))
    totals.push(list.pagination.total)
  }
  expect(await imported).toMatchObject({ code: 0 })
  expect(totals.filter((total) => total % BATCH !== 0)).toEqual([])
  expect(totals).toEqual(totals.toSorted((a, b) => a - b))
  expect(new Set(totals).size).toBeGreaterThan(2)
  const { pagination } = await (await fetch(`${server.url}/api/v1/passports?per_page=1`)).json()
  expect(pagination.total).toBe(3500)
}, 20_000)

test('what cannot be taken in yet is taken in at the end', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const save = (name: string, lines: object[]) =>
    writeFileSync(join(cwd, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const filler = Array.from({ length: 700 }, (_, at) => ({ passport_id: 1000 + at }))
  save('before.jsonl', [{ passport_id: 9, main_wallet: '0xw' }])
  save('after.jsonl', [
    { passport: 2, type: 'github', value: 4 },
    { passport_id: 5, main_wallet: '0xw', passport_profile: { bio: 'old' } },
    { passport_id: 6, main_wallet: '0xw' },
    ...filler,
    { passport_id: 2 },
    { passport_id: 5, main_wallet: '0xx', passport_profile: { bio: 'new' } },
    { passport_id: 9, main_wallet: '0xz' },
    { passport: 99, type: 'github', value: 4 },
  ])
  await run(['import', 'before.jsonl'], { cwd })
  const { err, code } = await run(['import', 'after.jsonl'], { cwd })
  expect(err).toBe(
    `after.jsonl:707: passport: there is no passport 99 here
707 lines: 704 added, 1 changed, 0 unchanged.
passportd: 1 line was refused.
`,
  )
  expect(code).toBe(1)
  const { out } = await run(['export'], { cwd })
  const records = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const wallets = records.flatMap(({ passport_id, main_wallet }) =>
    main_wallet ? [[passport_id, main_wallet]] : [],
  )
  expect(wallets).toEqual([
    [5, '0xx'],
    [6, '0xw'],
    [9, '0xz'],
  ])
  expect(records.find(({ passport_id }) => passport_id === 5).passport_profile.bio).toBe('new')
})

test('a number too large for a date goes out again as it came in', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  writeFileSync(
    join(cwd, 'x.jsonl'),
    '{"passport_id":7}\n{"passport":7,"type":"base_builder","value":1e16}\n',
  )
  await run(['import', 'x.jsonl'], { cwd })
  expect((await run(['export'], { cwd })).out).toContain('"value":10000000000000000,')
})
