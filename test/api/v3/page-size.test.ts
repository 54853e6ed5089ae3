import { expect, test } from 'bun:test'
import { serveRecords } from '../../support/http/server.ts'
import { record } from '../../support/store/records.ts'

test('a page with further parts of passports has at most 50, and its cursor continues', async () => {
  const people = Array.from({ length: 120 }, (_, at) => record(at + 1))
  await using server = await serveRecords({}, people)
  const sizes: number[] = []
  let cursor = ''
  do {
    const { body } = await server.get(`/api/v3/passports?limit=50&include=credentials${cursor}`)
    sizes.push(body.items.length)
    cursor = body.next === null ? '' : `&cursor=${body.next}`
  } while (cursor !== '')
  expect(sizes).toEqual([50, 50, 20])
  expect((await server.get('/api/v3/passports?limit=250')).body.items).toHaveLength(120)
  expect((await server.get('/api/v3/passports?limit=51&select=score,standing.rank')).body.detail).toBe(
    'limit must be a whole number from 1 to 50 for pages with standing, got "51".',
  )
})
