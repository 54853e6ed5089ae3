import { expect, test } from 'bun:test'
import { serveRecords } from '../../support/http/server.ts'
import { inventPeople } from '../../support/store/invented-people.ts'

/** The helper validates each response against the OpenAPI document, whose schemas allow no other fields. */
test('the V2 responses match their schemas for many demo passports', async () => {
  await using server = await serveRecords({}, inventPeople().slice(0, 120))
  const ids: number[] = []
  for (let page = 1; page <= 2; page++) {
    const { body } = await server.get(`/api/v2/passports?page=${page}&per_page=100`)
    ids.push(...body.passports.map(({ passport_id }: { passport_id: number }) => passport_id))
  }
  expect(new Set(ids).size).toBe(120)
  for (const id of ids) {
    expect((await server.get(`/api/v2/passports/${id}`)).body.passport.user.id).toBe(String(id))
    const { body } = await server.get(`/api/v2/passport_credentials?passport_id=${id}`)
    expect(body.passport_credentials).not.toBeEmpty()
  }
})
