import { expect, test } from 'bun:test'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { type MakeDatabase, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { dataPoint, record } from '../../support/store/records.ts'
import { kiteRules } from '../../support/store/rule-files.ts'
import { until } from '../../support/wait-until.ts'

const FILES = {
  'one.json': kiteRules('one'),
  'two.json': kiteRules('two', { multiplier: 2 }),
  'three.json': kiteRules('three', { multiplier: 3 }),
}

/** A database with one passport that has ten kites, and the rule files. */
async function kitePlace(makeDatabase: MakeDatabase) {
  const here = await workplace(makeDatabase, {
    records: [record(1, { dataPoints: [dataPoint('kites', 10)], stale: true })],
    files: FILES,
  })
  return {
    ...here,
    scoreOf: () => here.look(async (store) => (await store.passports.find({ id: 1 }))?.scores.total),
    rules: (...args: string[]) => here.call('rules', ...args),
    /** Runs a command with RULES set to one of the files. */
    withFile: (name: string, ...args: string[]) =>
      callHere(args, { env: { ...here.env, RULES: here.path(name) } }),
  }
}

withEveryEngine('applied rules', (makeDatabase) => {
  test('score without RULES uses the applied rule set', async () => {
    await using here = await kitePlace(makeDatabase)
    expect(await here.rules('apply', here.path('two.json'))).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Rule set two\+[0-9a-f]{8} is active\./),
    })
    expect((await here.call('score')).err).toBe('Scored 1 passport by rule set two.\n')
    expect(await here.scoreOf()).toBe(20)
    expect((await here.call('explain', '1')).out).toMatch(/by rule set two\+\w{8}\n/)
  })

  test('rules list and rules show print every stored rule set', async () => {
    await using here = await kitePlace(makeDatabase)
    expect((await here.rules('list')).err).toContain('No rule set was applied: the built-in set 2026-11+')
    await here.call('score')
    expect((await here.rules('list')).out).toMatch(/\n2026-11\+\w+ +active +- +built-in\n$/)
    for (const name of ['one.json', 'two.json']) await here.rules('apply', here.path(name))
    const listed = JSON.parse((await here.rules('list', '--json')).out)
    expect(listed).toMatchObject([
      { version: 'two', active: true, source: 'apply' },
      { version: 'one', active: false, source: 'apply' },
      { version: '2026-11', active: false, source: 'built-in', applied_at: null },
    ])
    expect(JSON.parse((await here.rules('show')).out)).toEqual(JSON.parse(FILES['two.json']))
    expect(JSON.parse((await here.rules('show', listed[1].stamp)).out)).toEqual(JSON.parse(FILES['one.json']))
    expect(JSON.parse((await here.rules('show', '--built-in')).out).version).toBe('2026-11')
    await here.refuses('There is no rule set "none"', 'rules', 'show', 'none')
  })

  test('rollback goes back one rule set at a time, and applying the active rule set again adds no step', async () => {
    await using here = await kitePlace(makeDatabase)
    const list = async () => (await here.rules('list', '--json')).out
    for (const name of ['one.json', 'two.json', 'three.json']) await here.rules('apply', here.path(name))
    const before = await list()
    expect((await here.rules('apply', here.path('three.json'))).code).toBe(0)
    expect(await list()).toBe(before)
    expect((await here.rules('rollback')).err).toContain('Rule set two+')
    expect((await here.rules('rollback')).err).toContain('Rule set one+')
    expect((await here.rules('rollback')).err).toContain('The built-in rule set 2026-11+')
    expect(await here.rules('rollback')).toMatchObject({ code: 1 })
    expect((await here.call('score')).err).toBe('Scored 1 passport by rule set 2026-11.\n')
  })
})

withEngine('sqlite', 'applied rules', (makeDatabase) => {
  test('a running node scores and explains with the applied rule set, and after a rollback with the previous one', async () => {
    await using here = await kitePlace(makeDatabase)
    await using server = await here.serve([], { RULES: here.path('one.json') })
    const shows = (score: number, version: string) => async () => {
      const { passport } = (await (await fetch(`${server.url}/api/v1/passports/1`)).json()) as {
        passport: { score: number; calculating_score: boolean }
      }
      const page = await (await fetch(`${server.url}/passports/1/score`)).text()
      return (
        passport.score === score &&
        !passport.calculating_score &&
        page.includes(`By rule set <code>${version}</code>`)
      )
    }
    await until(shows(10, 'one'))
    expect((await here.rules('apply', here.path('two.json'))).code).toBe(0)
    await until(shows(20, 'two'))
    expect((await here.rules('rollback')).err).toMatch(/^Rule set one\+\w+ is active again\./)
    await until(shows(10, 'one'))
    expect(await here.scoreOf()).toBe(10)
  })
})

withEngine('sqlite', 'RULES', (makeDatabase) => {
  test('the rule set in RULES is applied at the start if it is new, and refused if a newer rule set was applied', async () => {
    await using here = await kitePlace(makeDatabase)
    const versions = () =>
      here.look(async (store) =>
        (await store.rules.list()).map(({ source, stamp }) => [source, stamp.split('+')[0]]),
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

withEngine('sqlite', 'a hostile rule file', (makeDatabase) => {
  test('rules apply prints no control characters from the file, and refuses a long name', async () => {
    const files = {
      'escape.json': kiteRules('\u001b[31mX'),
      'long.json': kiteRules('long', { name: 'x'.repeat(251) }),
    }
    await using here = await workplace(makeDatabase, { files })
    const applied = await here.call('rules', 'apply', here.path('escape.json'))
    expect(applied).toMatchObject({ code: 0 })
    expect(applied.err).not.toContain('\u001b')
    const refused = await here.call('rules', 'apply', here.path('long.json'))
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.err).toContain('kites')
  })
})
