import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { inventPeople } from '../../src/ingest/demo/people.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { run } from '../support/cli.ts'
import { saveRecords } from '../support/engines.ts'
import { PEOPLE, record } from '../support/records.ts'
import { serveTest } from '../support/server.ts'
import { tempFolder } from '../support/temp.ts'

const MAIN = join(import.meta.dir, '../../src/cli/main.ts')

/** A folder with these people in its database, in which the commands run. */
async function prepare(people = PEOPLE) {
  const folder = tempFolder()
  const cwd = folder.path
  const database = join(cwd, 'data/passportd.db')
  mkdirSync(join(cwd, 'data'))
  const store = openSqlite(database)
  await saveRecords(store, people)
  await store.close()
  return {
    cwd,
    database,
    run: (...args: string[]) => run(args, { cwd }),
    read: (name: string) => readFileSync(join(cwd, name)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const idsIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).passport_id)

describe('writes everything', () => {
  test('to standard output, by id, and nothing else', async () => {
    using here = await prepare()
    const { out, err, code } = await here.run('export')
    expect(idsIn(out)).toEqual([3, 7, 12, 900])
    expect({ err, code }).toEqual({ err: '4 records written.\n', code: 0 })
    expect(await here.run('export', '-')).toEqual({ out, err, code })
  })

  test('to a file that only its owner may read, in place of an older one', async () => {
    using here = await prepare()
    const { out } = await here.run('export')
    writeFileSync(join(here.cwd, 'all.jsonl'), 'of an earlier export, and longer'.repeat(1000))
    expect(await here.run('export', 'all.jsonl')).toEqual({
      out: '',
      err: '4 records written to all.jsonl.\n',
      code: 0,
    })
    expect(here.read('all.jsonl').toString()).toBe(out)
    expect(statSync(join(here.cwd, 'all.jsonl')).mode & 0o777).toBe(0o600)
    expect(readdirSync(here.cwd).toSorted()).toEqual(['all.jsonl', 'data'])
  })

  test('packed where the name ends in .gz', async () => {
    using here = await prepare()
    const { out } = await here.run('export')
    await here.run('export', 'all.jsonl.gz')
    expect(gunzipSync(here.read('all.jsonl.gz')).toString()).toBe(out)
  })

  test('of an empty database, which is nothing', async () => {
    using here = await prepare([])
    expect(await here.run('export')).toEqual({ out: '', err: '0 records written.\n', code: 0 })
  })

  test('and removals first', async () => {
    using here = await prepare()
    await here.run('remove', '12')
    const { out } = await here.run('export')
    expect(out).toStartWith('{"passport_id":12,"removed":true}\n')
    expect(idsIn(out)).toEqual([12, 3, 7, 900])
  })
})

test('a reader that has had enough ends it well', async () => {
  using here = await prepare(inventPeople())
  const script = 'set -o pipefail; "$BUN" "$MAIN" export | head -1'
  const child = Bun.spawn(['bash', '-c', script], {
    cwd: here.cwd,
    env: { PATH: process.env.PATH ?? '', BUN: process.execPath, MAIN },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect(idsIn(out)).toEqual([1])
  expect(err).toBe('')
  expect(await child.exited).toBe(0)
})

describe('one clear sentence', () => {
  test.each([['nowhere/all.jsonl'], ['data'], ['/dev/full']])(
    'for %s, which cannot be written, and no half of a file',
    async (path) => {
      using here = await prepare()
      const { out, err, code } = await here.run('export', path)
      expect({ out, code }).toEqual({ out: '', code: 1 })
      expect(err).toMatch(new RegExp(`^passportd: ${path} cannot be written: [^\\n]+\\n$`))
      expect(readdirSync(here.cwd)).toEqual(['data'])
    },
  )

  test.each([
    [['a', 'b'], `Unexpected argument 'b'. See "passportd export --help".`],
    [['--fast'], `Unknown option '--fast'. See "passportd export --help".`],
  ])('for %p', async (args, sentence) => {
    using here = await prepare()
    expect(await here.run('export', ...args)).toEqual({ out: '', err: `passportd: ${sentence}\n`, code: 2 })
  })
})

test('a device is written to, not replaced', async () => {
  using here = await prepare()
  expect(await here.run('export', '/dev/null')).toMatchObject({ code: 0 })
  expect(statSync('/dev/null').isFile()).toBe(false)
})

/** What all three endpoints answer about these ids, and the list, by path. */
async function answersAbout(
  database: string,
  ids: readonly (number | string)[],
): Promise<Record<string, string>> {
  const store = openSqlite(database)
  const server = serveTest(store)
  const answers: Record<string, string> = {}
  const paths = [
    '/api/v1/passports?per_page=250',
    '/api/v1/passports?per_page=10&page=3',
    '/api/v1/passports?keyword=ada',
    ...ids.flatMap((id) => [`/api/v1/passports/${id}`, `/api/v1/passport_credentials?passport_id=${id}`]),
  ]
  for (const path of paths) {
    const { status, text, headers } = await server.get(path)
    // A refusal has an id of its own each time.
    answers[path] = status === 200 ? `${headers.get('ETag')} ${text}` : String(status)
  }
  await server[Symbol.asyncDispose]()
  await store.close()
  return answers
}

/** Passports in every state that there is. */
async function everyState() {
  const odd = [
    record(2001, { scores: { total: 30, skills: 30 } }),
    record(2002, { scores: { total: 5 }, credentials: [] }),
    record(2003, { mainWallet: 'So1ana', profile: { displayName: 'Ada \u0000 " \u2028', tags: ['x"y'] } }),
    record(2004, { calculatedAt: -1, human: true }),
    record(2005, { mergedInto: 2004, mainWallet: '0x2005' }),
  ]
  const here = await prepare([...inventPeople().slice(0, 60), ...odd])
  const points = [
    { passport: 1, type: 'gitcoin', value: 40, account: 'a', display: 'forty', earned_at: '2020-01-02' },
    { passport: 1, type: 'gitcoin', value: 10, account: 'b' },
    { passport: 2, type: 'worldcoin', value: true },
    { passport: 3, type: 'ens', value: '2019-05-06' },
    { passport: 3, type: 'no_rule_for_this', value: false },
    { passport: 2003, type: 'github', value: 3.25 },
  ]
  const toLines = (lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const change = async (...args: string[]) => expect(await here.run(...args)).toMatchObject({ code: 0 })
  writeFileSync(join(here.cwd, 'points.jsonl'), toLines(points))
  writeFileSync(join(here.cwd, 'late.jsonl'), toLines([{ passport: 5, type: 'gitcoin', value: 1 }]))
  await change('import', 'points.jsonl')
  await change('score')
  await change('merge', '10', '11')
  await change('merge', '11', '12')
  await change('remove', '20')
  // After the scoring: 5 is stale.
  await change('import', 'late.jsonl')
  return here
}

test('import of an export gives the same service: every answer about every passport is the same', async () => {
  using original = await everyState()
  using copy = await prepare([])
  const { out } = await original.run('export')
  writeFileSync(join(copy.cwd, 'all.jsonl'), out)
  const { err, code } = await copy.run('import', 'all.jsonl')
  expect(code, err).toBe(0)

  const ids = [...idsIn(out), '0x2005', 'So1ana', 4000]
  expect(ids).toHaveLength(68)
  const answers = await answersAbout(original.database, ids)
  expect(answers['/api/v1/passports/5']).toContain('"calculating_score":true')
  expect(answers['/api/v1/passports/10']).toContain('"passport_id":12,')
  expect(answers['/api/v1/passports/20']).toBe('404')
  expect(answers['/api/v1/passport_credentials?passport_id=1']).toContain('"value":"forty"')
  expect(await answersAbout(copy.database, ids)).toEqual(answers)

  expect((await copy.run('export')).out).toBe(out)
  expect((await copy.run('import', 'all.jsonl')).err).toContain(': 0 added, 0 changed, 65 unchanged.')
}, 20_000)

test('scored anew by the same rules, the original and its copy stay the same', async () => {
  using original = await everyState()
  using copy = await prepare([])
  await original.run('export', 'all.jsonl.gz')
  await copy.run('import', join(original.cwd, 'all.jsonl.gz'))
  const scored = async (here: typeof copy) => {
    await here.run('score', '--all')
    return (await here.run('export')).out.replaceAll(/"last_calculated_at":"[^"]*"/g, '')
  }
  expect(await scored(copy)).toBe(await scored(original))
}, 20_000)
