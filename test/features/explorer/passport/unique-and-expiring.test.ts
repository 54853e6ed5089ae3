import { expect, test } from 'bun:test'
import { readable, servePeople } from '../../../support/explorer/explorer-server.ts'
import { dataPoint, NOON, record } from '../../../support/store/records.ts'
import { rule } from '../../../support/store/rule-files.ts'
import { adoptRules, applyRules, parseRules, scoreNow, scorerOf } from '../../../support/store/scoring.ts'

const DAY = 86_400_000
const day = (time: number) => new Date(time).toISOString().slice(0, 10)

test('the explanations of the explorer and of v3 say why a data point has no points, and until when it counts', async () => {
  const rules = parseRules({
    version: '1',
    types: {
      code: rule({ name: 'Code', unique: 'first' }),
      kites: rule({ expires: '30d', accounts: 'sum' }),
      proof: rule({ name: 'Proof', expires: '30d' }),
    },
  })
  const kites = (account: string, age: number) => ({
    ...dataPoint('kites', 5, account, '5 kites'),
    earnedAt: NOON - age * DAY,
  })
  const proof = { ...dataPoint('proof', 4), earnedAt: NOON - 50 * DAY }
  await using server = await servePeople([
    record(1, { dataPoints: [dataPoint('code', 7, 'ada', '7 commits')] }),
    record(2, {
      dataPoints: [
        dataPoint('code', 7, '@Ada', '7 commits'),
        kites('a', 40),
        kites('b', 10),
        kites('c', 5),
        proof,
      ],
    }),
  ])
  const { store } = server
  await applyRules(store, rules)
  await adoptRules(scorerOf(store, rules))
  await scoreNow(store, rules)

  const words = readable((await server.look('/passports/2/score')).text)
  const [expired, end] = [day(NOON - 10 * DAY), day(NOON + 20 * DAY)]
  for (const part of [
    'Code 7 commits , this account does not count here 0',
    `Kites 2 accounts: 10 × 1 = 10, at most 90, counts until ${end} a , 5 kites (expired on ${expired}) b , 5 kites c , 5 kites 10`,
    `Proof 4 , expired on ${day(NOON - 20 * DAY)} 0`,
  ])
    expect(words).toContain(part)
  expect(readable((await server.look('/passports/1/score')).text)).toContain(
    '7 commits : 7 × 1 = 7, at most 90 7',
  )

  const { body } = await server.get('/api/v3/passports/2?include=explanation')
  expect(body.score).toBe(10)
  expect(body.explanation.lines).toMatchObject([
    { type: 'code', score: 0, formula: '0: this account does not count here' },
    {
      type: 'kites',
      score: 10,
      formula: `min(round(10 × 1), 90) = 10, counts until ${end}`,
      accounts: [{ formula: `0: expired on ${expired}` }, {}, {}],
    },
    { type: 'proof', score: 0, formula: `0: expired on ${day(NOON - 20 * DAY)}` },
  ])
})
