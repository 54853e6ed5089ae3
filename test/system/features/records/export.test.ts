import { expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { workplace } from '../../../support/cli-sandbox.ts'
import { everyResponse } from '../../../support/mirror/every-response.ts'
import {
  databaseMaker,
  type MakeDatabase,
  withEngine,
  withEveryEngine,
} from '../../../support/store/engines.ts'
import { INVENTED, toLines } from '../../../support/store/json-lines.ts'
import { NOON, PEOPLE, record } from '../../../support/store/records.ts'

const idsIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).passport_id)

withEngine('sqlite', 'export', (makeDatabase) => {
  test('export writes removals, then passports by id, to standard output, a device or a file, and compresses a file named .gz', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    const { out, err, code } = await here.run('export')
    expect(idsIn(out)).toEqual([3, 7, 12, 900])
    expect({ err, code }).toEqual({ err: '4 records written.\n', code: 0 })
    expect(await here.run('export', '-')).toEqual({ out, err, code })
    await here.call('export', here.path('all.jsonl.gz'))
    expect(gunzipSync(readFileSync(here.path('all.jsonl.gz'))).toString()).toBe(out)
    expect(await here.call('export', '/dev/null')).toMatchObject({ code: 0 })
    expect(statSync('/dev/null').isFile()).toBe(false)
    await here.call('remove', '12', '--yes')
    expect(await here.export()).toStartWith('{"passport_id":12,"removed":true}\n{"passport_id":3,')
  })

  test('export replaces an older file only with --force, and only the owner can read the new file', async () => {
    await using here = await workplace(makeDatabase, {
      records: PEOPLE,
      files: { 'all.jsonl': 'of an earlier export, and longer'.repeat(1000) },
    })
    const { out } = await here.run('export')
    await here.refuses('all.jsonl exists already: --force replaces it.\n', 'export', here.path('all.jsonl'))
    expect(readFileSync(here.path('all.jsonl'), 'utf8')).toStartWith('of an earlier export')
    expect(await here.callIn('export', '--force', 'all.jsonl')).toEqual({
      out: '',
      err: '4 records written to all.jsonl.\n',
      code: 0,
    })
    expect(readFileSync(here.path('all.jsonl'), 'utf8')).toBe(out)
    expect(statSync(here.path('all.jsonl')).mode & 0o777).toBe(0o600)
    expect(readdirSync(here.cwd)).toEqual(['all.jsonl'])
  })

  test('export does not use an existing partial file', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE, files: { other: 'untouched' } })
    const { path } = here
    writeFileSync(path('open.jsonl.part'), '')
    chmodSync(path('open.jsonl.part'), 0o666)
    symlinkSync(path('other'), path('link.jsonl.part'))
    for (const name of ['open.jsonl', 'link.jsonl']) {
      expect((await here.call('export', path(name))).code).toBe(0)
      expect(lstatSync(path(name)).isFile()).toBe(true)
      expect(statSync(path(name)).mode & 0o777).toBe(0o600)
    }
    expect(readFileSync(path('other'), 'utf8')).toBe('untouched')
  })

  test.each([['nowhere/all.jsonl'], ['folder'], ['/dev/full']])(
    'export reports in one sentence that %s cannot be written, and leaves no partial file',
    async (path) => {
      await using here = await workplace(makeDatabase, { records: PEOPLE })
      mkdirSync(here.path('folder'))
      const { out, err, code } = await here.callIn('export', path)
      expect({ out, code }).toEqual({ out: '', code: 1 })
      expect(err).toMatch(new RegExp(`^passportd: ${path} cannot be (opened|written): [^\\n]+\\n$`))
      expect(readdirSync(here.cwd)).toEqual(['folder'])
    },
  )
})

const POINTS = [
  { passport: 1, type: 'gitcoin', value: 40, account: 'a', display: 'forty', earned_at: '2020-01-02' },
  { passport: 1, type: 'gitcoin', value: 10, account: 'b' },
  { passport: 2, type: 'worldcoin', value: true },
  { passport: 3, type: 'ens', value: '2019-05-06' },
  { passport: 3, type: 'no_rule_for_this', value: false },
  { passport: 2003, type: 'github', value: 3.25 },
  // A value that is too large for a date.
  { passport: 2003, type: 'base_builder', value: 1e16 },
]

async function everyState(makeDatabase: MakeDatabase) {
  const odd = [
    record(2001, { scores: { total: 30, skills: 30 } }),
    record(2002, { scores: { total: 5 }, credentials: [] }),
    record(2003, { mainWallet: 'So1ana', profile: { displayName: 'Ada \u0001 " \u2028', tags: ['x"y'] } }),
    record(2004, { calculatedAt: -1, human: true }),
    record(2005, { mergedInto: 2004, mainWallet: '0x2005' }),
  ]
  const here = await workplace(makeDatabase, {
    records: [...INVENTED.slice(0, 25), ...odd],
    files: {
      'points.jsonl': toLines(...POINTS),
      'late.jsonl': toLines({ passport: 5, type: 'gitcoin', value: 1 }),
    },
  })
  const change = async (...args: string[]) => expect(await here.call(...args)).toMatchObject({ code: 0 })
  await change('import', here.path('points.jsonl'))
  await change('score')
  await here.look(async ({ passports }) => {
    await passports.merge(10, 11)
    await passports.merge(11, 12)
    await passports.remove(20, NOON)
  })
  // Imported after the scoring, so that passport 5 is stale.
  await change('import', here.path('late.jsonl'))
  return here
}

withEveryEngine('import of an export', (makeDatabase, engine) => {
  test('after an export is imported on the other engine, both services respond the same, even after scoring again', async () => {
    await using original = await everyState(makeDatabase)
    const out = await original.export()
    expect(out).toContain('"value":10000000000000000,')
    await using copy = await workplace(databaseMaker(engine === 'sqlite' ? 'postgres' : 'sqlite'), {
      files: { 'all.jsonl': out },
    })
    const { err, code } = await copy.call('import', copy.path('all.jsonl'))
    expect(code, err).toBe(0)

    const responses = await original.look(everyResponse)
    const shown = (id: number) =>
      responses[Object.keys(responses).find((path) => path.startsWith(`/api/v3/passports/${id}?`)) ?? '']
    expect(shown(5)).toContain('"calculating_score":true')
    expect(shown(1)).toContain('"value":"forty"')
    expect(await copy.look(everyResponse)).toEqual(responses)
    expect(await copy.export()).toBe(out)
    expect((await copy.call('import', copy.path('all.jsonl'))).err).toContain(
      ': 0 added, 0 changed, 30 unchanged.',
    )

    const scoredAgain = async (here: typeof copy) => {
      expect(await here.call('score', '--all')).toMatchObject({ code: 0 })
      return (await here.export()).replaceAll(/"last_calculated_at":"[^"]*"/g, '')
    }
    expect(await scoredAgain(copy)).toBe(await scoredAgain(original))
  })
})
