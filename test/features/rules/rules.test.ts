import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest } from '../../support/http/server.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { RULE_SETS } from '../../support/store/open.ts'
import {
  adoptRules,
  applyRules,
  DEFAULT_RULES,
  stampRules,
  toAppliedRules,
} from '../../support/store/scoring.ts'

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
