import { expect, test } from 'bun:test'
import { serveWrites } from '../../support/http/servers.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const MERGE = '/api/v3/passports/12/merge'

onEveryEngine('changes of passports over HTTP', (open) => {
  test('a passport is merged, unmerged and removed, and the events name the key', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    const { last } = await store.events.log()
    const merged = await operator.post(MERGE, '{"into":7}')
    expect([merged.status, merged.headers.get('Event-Cursor')]).toEqual([200, merged.body.cursor])
    expect((await operator.get(`/api/v3/passports/12?after=${merged.body.cursor}`)).body.passport_id).toBe(7)
    const unmerged = await operator.delete(MERGE)
    const removed = await operator.delete('/api/v3/passports/12')
    expect((await operator.get(`/api/v3/passports/12?after=${unmerged.body.cursor}`)).status).toBe(404)
    const { events, log } = await store.events.list({ after: last, limit: 9 })
    expect(removed.body).toEqual({ cursor: `${log.name}-${log.last}` })
    expect(events.at(-1)).toMatchObject({
      type: 'passport.removed',
      passportId: 12,
      actor: `key:${operator.id}`,
    })
    expect(events.every(({ actor }) => actor === `key:${operator.id}`)).toBe(true)
    expect((await operator.delete('/api/v3/passports/12')).body).toEqual(removed.body)
  })

  test('a passport that is separated from a hidden one stays hidden, and the response says so', async () => {
    await using server = await serveWrites(await open(PEOPLE))
    const { operator, store } = server
    await store.passports.merge(12, 7)
    await store.passports.hide(7, true, NOON)
    expect((await operator.delete(MERGE)).body).toEqual({ cursor: expect.any(String), hidden: true })
    expect((await operator.get('/api/v3/passports/12')).status).toBe(404)
    await store.passports.hide(12, false, NOON)
    expect((await operator.get('/api/v3/passports/12')).status).toBe(200)
  })
})

test('an invalid merge is refused with a sentence', async () => {
  await using server = await serveWrites(await openTestStore('sqlite', PEOPLE))
  const { operator } = server
  const refusals = await Promise.all(
    ['{"into":"7"}', '{}', '{"in":7}', '[]', '{"into":12}', '{"into":404}', '{"into":900}'].map(
      async (body) => {
        const reply = await operator.post(MERGE, body)
        return [reply.status, reply.body.detail, reply.body.errors?.[0]?.pointer]
      },
    ),
  )
  expect(refusals).toEqual([
    [400, 'into must be an integer, got "7".', '#/into'],
    [400, 'into is missing.', '#/into'],
    [400, 'into is missing.', '#/into'],
    [400, 'The body must be an object, got [].', '#'],
    [400, 'A passport cannot be merged into itself.', '#/into'],
    [404, 'Resource not found.', undefined],
    [400, 'Passport 900 is merged into 3 already.', '#/into'],
  ])
  const unmerged = await operator.delete(MERGE)
  const detail = 'Passport 12 is not merged into another.'
  expect([unmerged.status, unmerged.body.errors]).toEqual([400, [{ pointer: '{id}', detail }]])
  const handle = await operator.delete('/api/v3/passports/lens:ada')
  expect([handle.status, handle.body.detail]).toEqual([
    400,
    'This request needs the id of a passport, got "lens:ada".',
  ])
})

test('a method that a passport does not have gets 405 without a key, and with a key that may not write', async () => {
  await using server = await serveWrites(await openTestStore('sqlite', PEOPLE))
  const reader = await server.clientWith(['read'])
  for (const { status, headers } of [
    await server.get('/api/v3/passports/7', { method: 'PUT' }),
    await reader.post('/api/v3/passports/7', '{}'),
  ])
    expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS'])
  const { detail } = (await reader.post('/api/v3/passports', '{}')).body
  expect(detail).toBe('POST is not possible here: use GET.')
})
