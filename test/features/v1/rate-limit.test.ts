import { expect, test } from 'bun:test'
import { fields, limited } from '../../support/http/limited-server.ts'
import { NO_PLAN } from '../../support/program/retirement.ts'
import { NOON } from '../../support/store/records.ts'

const LIST = '/api/v1/passports'

test('every V1 response after authentication, even an error, counts toward the limit and reports the remaining requests', async () => {
  let plan = NO_PLAN
  await using server = await limited('anonymous=100/10s', { plan: () => plan })
  const answers = [
    await server.anonymous(LIST),
    await server.anonymous(`${LIST}?page=0`),
    await server.anonymous(`${LIST}/8`),
    await server.get(LIST, { method: 'POST', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
    await server.get(LIST, { method: 'HEAD', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
  ]
  plan = { ...NO_PLAN, brownouts: [{ start: NOON, end: NOON + 60_000 }] }
  answers.push(await server.anonymous(LIST))
  expect(answers.map(fields)).toEqual(
    [200, 400, 404, 405, 200, 410].map((status, index) => [
      status,
      '"anonymous";q=100;w=10',
      `"anonymous";r=${99 - index};t=10`,
      status === 410 ? '60' : null,
    ]),
  )
})
