import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import canonicalize from 'canonicalize'
import { callHere } from '../../support/cli-in-process.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { kitePlace } from '../../support/kite-rules-sandbox.ts'
import { onEveryEngine, withEngine } from '../../support/store/engines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import {
  adoptRules,
  applyRules,
  DEFAULT_RULES,
  stampRules,
  toAppliedRules,
} from '../../support/store/scoring.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const { stamp: _, ...shape } = DEFAULT_RULES
const next = stampRules({ ...shape, version: 'next' })
const path = (stamp: string) => `/api/v3/rules/${encodeURIComponent(stamp)}`

onEveryEngine('GET /api/v3/rules/{stamp}', (open) => {
  test('a rule set, even a built-in one, is served if it was ever active, and gets 404 otherwise', async () => {
    await using store = await open()
    await using server = serveTest(store)
    for (const stamp of [DEFAULT_RULES.stamp, '\0', "' or 1=1", 'x'.repeat(3000)])
      expect((await server.get(path(stamp))).body).toMatchObject({ status: 404, code: 'not_found' })
    await adoptRules({ store, rules: DEFAULT_RULES })
    await applyRules(store, next)
    await adoptRules({ store, rules: next })
    for (const rules of [DEFAULT_RULES, next]) {
      const { status, headers, body } = await server.get(path(rules.stamp))
      const { stamp, digest, ...contents } = body
      expect([status, { stamp, ...contents }]).toEqual([200, { ...rules }])
      // Anyone can calculate the digest from the response.
      expect(digest).toBe(new Bun.CryptoHasher('sha256').update(canonicalize(contents) ?? '').digest('hex'))
      expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    }
  })

  test('built-in rule sets are listed after applied ones, and a rollback can activate a built-in one', async () => {
    await using store = await open()
    const older = { ...DEFAULT_RULES, stamp: 'built-in of an older version' }
    await adoptRules({ store, rules: older })
    await adoptRules({ store, rules: DEFAULT_RULES })
    const stamps = async () => (await store.data(RULE_SETS).list()).map(({ stamp }) => stamp)
    expect(await stamps()).toEqual([DEFAULT_RULES.stamp, older.stamp])
    await applyRules(store, next)
    const builtIn = toAppliedRules(DEFAULT_RULES, 'built-in', 0)
    expect(await store.data(RULE_SETS).rollBack(builtIn)).toMatchObject({ stamp: DEFAULT_RULES.stamp })
    expect(await stamps()).toEqual([next.stamp, DEFAULT_RULES.stamp, older.stamp])
  })

  test('a rollback activates the rule set before the active one, and skips those that were rolled back', async () => {
    await using store = await open()
    const builtIn = toAppliedRules(DEFAULT_RULES, 'built-in', 0)
    await adoptRules({ store, rules: DEFAULT_RULES })
    const apply = (version: string) => applyRules(store, stampRules({ ...shape, version }))
    const rollBack = async () =>
      JSON.parse((await store.data(RULE_SETS).rollBack(builtIn))?.body ?? '{}').version
    for (const version of ['a', 'b', 'c']) await apply(version)
    expect(await rollBack()).toBe('b')
    await apply('d')
    expect(await rollBack()).toBe('b')
    await apply('a')
    expect([await rollBack(), await rollBack()]).toEqual(['b', 'a'])
    expect([await rollBack(), await rollBack()]).toEqual([shape.version, undefined])
  })

  test('if keys are required, the response with a rule set has Cache-Control private', async () => {
    await using store = await open()
    await adoptRules({ store, rules: DEFAULT_RULES })
    const { init } = await makeKey(store, 1)
    await using server = serveTest(store, { requireKey: true })
    const { headers } = await server.get(path(DEFAULT_RULES.stamp), init)
    expect(headers.get('Cache-Control')).toBe('private, max-age=31536000, immutable')
  })
})

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
