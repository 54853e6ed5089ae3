import { expect, test } from 'bun:test'
import { workplace } from '../../../support/cli-sandbox.ts'
import { FILES, kitePlace } from '../../../support/kite-rules-sandbox.ts'
import { digestOfRules } from '../../../support/program/text.ts'
import { withEngine, withEveryEngine } from '../../../support/store/engines.ts'
import { kiteRules } from '../../../support/store/rule-files.ts'
import { until } from '../../../support/wait-until.ts'

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
    expect((await here.rules('list')).out).toMatch(/\n2026-11\+\w+ +active +- +built-in +[0-9a-f]{64}\n$/)
    for (const name of ['one.json', 'two.json']) await here.rules('apply', here.path(name))
    const listed = JSON.parse((await here.rules('list', '--json')).out)
    expect(listed).toMatchObject([
      { version: 'two', active: true, source: 'apply' },
      { version: 'one', active: false, source: 'apply' },
      { version: '2026-11', active: false, source: 'built-in', applied_at: null },
    ])
    expect(listed[0].digest).toBe(digestOfRules(FILES['two.json']))
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
      const passport = (await (await fetch(`${server.url}/api/v3/passports/1`)).json()) as {
        score: number
        calculating_score: boolean
      }
      const page = await (await fetch(`${server.url}/passports/1/score`)).text()
      return (
        passport.score === score && !passport.calculating_score && page.includes(`<code>${version}</code>`)
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
