import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callHere } from '../../support/cli-in-process.ts'
import { kitePlace } from '../../support/kite-rules-sandbox.ts'
import { withEngine } from '../../support/store/engines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import { tempFolder } from '../../support/temp-folder.ts'

withEngine('sqlite', 'RULES', (makeDatabase) => {
  test('the rule set in RULES is applied at the start if it is new, and refused if a newer rule set was applied', async () => {
    await using here = await kitePlace(makeDatabase)
    const versions = () =>
      here.look(async (store) =>
        (await store.data(RULE_SETS).list()).map(({ source, stamp }) => [source, stamp.split('+')[0]]),
      )
    expect((await here.withFile('one.json', 'score')).code).toBe(0)
    expect((await here.withFile('two.json', 'score')).err).toBe('Scored 1 passport by rule set two.\n')
    expect(await versions()).toEqual([
      ['RULES', 'two'],
      ['RULES', 'one'],
    ])
    // one.json was replaced by two.json.
    for (const command of ['score', 'serve']) {
      expect(await here.withFile('one.json', command)).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /RULES names \S+one\.json \(rule set one\+\w+\), but rule set two\+\w+ was applied .*: unset RULES/,
        ),
      })
    }
    // RULES does not replace a rule set that "rules apply" has applied.
    await here.rules('apply', here.path('one.json'))
    expect((await here.withFile('three.json', 'score')).code).toBe(2)
    expect((await here.withFile('one.json', 'score')).code).toBe(0)
    // Commands that only read use the active rule set.
    expect((await here.withFile('two.json', 'explain', '1')).out).toContain('by rule set one')
    expect(await here.scoreOf()).toBe(10)
  })

  test('the rule set in RULES is not applied again after it was rolled back', async () => {
    await using here = await kitePlace(makeDatabase)
    await here.withFile('one.json', 'score')
    await here.rules('rollback')
    expect(await here.withFile('one.json', 'score')).toMatchObject({
      code: 2,
      err: expect.stringContaining('was rolled back'),
    })
  })
})

test('an invalid rule set in RULES is refused, and the message names its path', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'bad.json')
  writeFileSync(path, '{"version":"1","types":{"a":{}}}')
  for (const args of [['serve'], ['score'], ['import', '/dev/null'], ['explain', '1']]) {
    const { err, code } = await callHere(args, { env: { RULES: path } })
    expect({ args, code }).toEqual({ args, code: 1 })
    expect(err).toStartWith(
      `passportd: RULES names ${path}, which is not valid: types.a.name is missing. (and 6 more: `,
    )
  }
})

test('the built-in rule set passes "rules check"', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const { out } = await callHere(['rules', 'show', '--built-in'])
  writeFileSync(join(cwd, 'mine.json'), out)
  expect(await callHere(['rules', 'check', 'mine.json'], { cwd })).toEqual({
    out: 'mine.json is a valid rule set: version 2026-11, 46 types, 5 levels.\n',
    err: '',
    code: 0,
  })
})

test('rules check counts all problems, and shows the first 100', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const check = async (name: string, contents?: object) => {
    if (contents) writeFileSync(join(cwd, name), JSON.stringify(contents))
    const { err, code } = await callHere(['rules', 'check', name], { cwd })
    expect(code).toBe(1)
    return err
  }
  const few = await check('few.json', { version: '1', types: { a: { name: 'A', max_score: -1 } } })
  expect(few).toContain('few.json: types.a.category is missing.\n')
  expect(few).toContain('few.json: types.a.max_score must be at least 0, got -1.\n')
  expect(few).toEndWith('passportd: few.json has 6 problems.\n')
  const types = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`type${at}`, 1]))
  const lines = (await check('many.json', { version: '1', types })).trimEnd().split('\n')
  expect([lines.length, ...lines.slice(99)]).toEqual([
    102,
    'many.json: types.type99 must be an object, got 1.',
    'many.json: 50 more problems.',
    'passportd: many.json has 150 problems.',
  ])
  expect(await check('none.json')).toBe(
    'passportd: none.json cannot be read as a rule set: there is no such file.\n',
  )
})
