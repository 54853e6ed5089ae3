import { expect, test } from 'bun:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { serveRecords, serveTest } from '../../../support/http/server.ts'
import {
  AS_SNAPSHOT,
  claimOf,
  listSnapshots,
  payloadOf,
  recompute,
  SIGNED,
  serveScored,
} from '../../../support/proof/snapshots.ts'
import { fillWithDemo } from '../../../support/store/demo.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../../support/store/engines.ts'
import { RULE_SETS, withData } from '../../../support/store/open.ts'
import { credential, dataPoint, NOON, record } from '../../../support/store/records.ts'
import {
  adoptRules,
  DEFAULT_RULES,
  rescoreSome,
  scorerOf,
  toRuleSet,
} from '../../../support/store/scoring.ts'

onEveryEngine('signed snapshots', (open) => {
  test('the event of a snapshot is the last event of the passport', async () => {
    await using store = await open([record(1), record(2)])
    await using server = serveTest(store, SIGNED)
    const eventOf = async (id: number) => {
      const [jwt = ''] = await listSnapshots(server, [id])
      return payloadOf(jwt).credentialSubject.event
    }
    const { name, last } = await store.events.log()
    expect([await eventOf(1), await eventOf(2)]).toEqual([`${name}-${last - 1}`, `${name}-${last}`])
    await store.events.prune(NOON + 1)
    expect(await eventOf(1)).toBeNull()
  })
})

test('jose verifies the snapshots of all demo passports, and their payloads give the served scores again', async () => {
  await using store = await openTestStore('sqlite')
  await fillWithDemo(store, NOON)
  await using server = serveTest(store, SIGNED)
  const all = await store.records.list(-1, 2000)
  const stale = all.filter((each) => each.stale).map(({ id }) => id)
  expect(stale).toHaveLength(1)
  expect((await server.get(`/api/v3/passports/${stale}`, AS_SNAPSHOT)).status).toBe(409)
  await rescoreSome({ ...scorerOf(store), now: () => NOON })
  const keys = createLocalJWKSet((await server.get('/.well-known/jwks.json')).body)
  const ids = all.map(({ id }) => id)
  const used = new Set<string>()
  for (const jwt of await listSnapshots(server, ids)) {
    await jwtVerify(jwt, keys, { algorithms: ['EdDSA'], currentDate: new Date(NOON) })
    const payload = payloadOf(jwt)
    const { rules } = payload.credentialSubject
    const found = await store.data(RULE_SETS).find(rules ?? '')
    expect(recompute(payload, toRuleSet(found ?? expect.unreachable()))).toEqual(claimOf(payload))
    used.add(rules ?? '')
  }
  // Passports that the change of the rule set did not affect keep the stamp of the earlier one.
  expect(used.size).toBe(2)
})

test('an explanation has the exact inputs, and the values of the record', async () => {
  await using server = await serveScored()
  const { body } = await server.get('/api/v3/passports/1?include=explanation')
  expect(body.explanation).toMatchObject({
    ...{ method: 'rules', rules: DEFAULT_RULES.stamp, score: body.score, given_human: false },
    lines: [
      { type: 'kite', from: 'record', score: 4.5, given_score: 9, accounts: [] },
      {
        ...{ type: 'base_builder', from: 'rule', given_score: null },
        accounts: [{ account: 'zoe.eth', value: 'nine contracts', kind: 'number', amount: 9, counts: true }],
      },
    ],
  })
})

test('scores that came with the record name no rule set, and keep their capped total', async () => {
  const credentials = [6, 20].map((points) =>
    credential(`c-${points}`, { category: 'Skills', score: points, maxScore: 40 }),
  )
  const scores = { total: 20, skills: 26 }
  await using server = await serveRecords(SIGNED, [record(1, { scores, credentials, human: true })])
  await adoptRules(scorerOf(server.store))
  const { body } = await server.get('/api/v3/passports/1?include=explanation')
  expect(body).toMatchObject({ score: 20, rules: null, rules_digest: null })
  expect(body.explanation).toMatchObject({ method: 'record', rules: null, score: 20, given_human: true })
  const [jwt = ''] = await listSnapshots(server, [1])
  expect(payloadOf(jwt).credentialSubject).toMatchObject({
    ...{ score: 20, skills_score: 26, method: 'record', rules: null, rules_digest: null, inputs: [] },
    record: { human: true, credentials: [{ score: 20 }, { score: 6 }] },
  })
})

test('a score by an unknown rule set names the active rule set only if that gives the same score', async () => {
  const calculated = { stale: false, rules: 'foreign+00', dataPoints: [dataPoint('ens', 0)] }
  const scored = (id: number, points: number) =>
    record(id, { ...calculated, scores: { total: points, identity: points } })
  await using server = await serveRecords(SIGNED, [scored(1, 0), scored(2, 0.5)])
  await server.store.data(RULE_SETS).keep({
    ...{ stamp: DEFAULT_RULES.stamp, appliedAt: 0, source: 'built-in' },
    body: JSON.stringify(DEFAULT_RULES),
  })
  const methodOf = async (id: number) => {
    const { body } = await server.get(`/api/v3/passports/${id}?include=explanation`)
    return [body.rules, body.rules_digest, body.explanation.method, body.explanation.rules]
  }
  expect(await methodOf(1)).toEqual(['foreign+00', null, 'rules', DEFAULT_RULES.stamp])
  expect(await methodOf(2)).toEqual(['foreign+00', null, 'record', null])
})

test('the digests of rule sets are read once, and an unknown rule set is searched again', async () => {
  await using store = await openTestStore('sqlite')
  await saveRecords(store, [record(1, { rules: 'foreign+00' })])
  let reads = 0
  const listByStamps = (stamps: readonly string[]) => {
    reads++
    return store.data(RULE_SETS).listByStamps(stamps)
  }
  await using server = serveTest(withData(store, RULE_SETS, { listByStamps }))
  const digest = async () => (await server.get('/api/v3/passports/1')).body.rules_digest
  expect([await digest(), await digest(), reads]).toEqual([null, null, 2])
  await store.data(RULE_SETS).keep({ stamp: 'foreign+00', body: '{"a":1}', appliedAt: 0, source: 'built-in' })
  const sum = '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862'
  expect([await digest(), await digest(), reads]).toEqual([sum, sum, 3])
})
