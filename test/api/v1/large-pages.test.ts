import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { printPage } from '../../../src/api/v1/list-page.ts'
import { presentListedPassport } from '../../../src/api/v1/present.ts'
import { V1_PRESS } from '../../../src/api/v1/press.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { makeAll } from '../../support/documents.ts'
import { saveRecords } from '../../support/engines.ts'
import { record } from '../../support/records.ts'
import { serveTest } from '../../support/server.ts'
import { tempFolder } from '../../support/temp.ts'

const PEOPLE = 60

/** Each of some 200 KB. */
const large = (id: number) =>
  record(id, {
    scores: { total: id % 7 },
    profile: {
      displayName: `Large ${id}`,
      tags: Array.from({ length: 10 }, (_, at) => `${id} ${at} `.repeat(3500)),
    },
  })

async function open(path: string): Promise<Store> {
  const store = openSqlite(path, { form: V1_PRESS.form })
  await saveRecords(
    store,
    Array.from({ length: PEOPLE }, (_, id) => large(id)),
  )
  return store
}

async function expectedPage(store: Store, page: number, size: number): Promise<string> {
  const { items, total } = await store.passports.list({ page, size, keyword: undefined })
  const pagination = { current_page: page, last_page: Math.ceil(total / size), total }
  return JSON.stringify({ passports: items.map(presentListedPassport), pagination })
}

test.each(['documents', 'rows', 'both'])('a large page is made in steps: of %s', async (from) => {
  using folder = tempFolder()
  const store = await open(join(folder.path, 'x.db'))
  if (from !== 'rows') await makeAll(store)
  if (from === 'both') await saveRecords(store, [{ ...large(3), connections: 1 }])
  const request = { page: 1, size: 250, keyword: undefined }
  const steps = printPage(await store.documents.list(request), request)
  let pauses = 0
  let body = steps.next()
  for (; !body.done; body = steps.next()) pauses++
  expect(body.value?.toString()).toBe(await expectedPage(store, 1, 250))
  expect(pauses).toBeGreaterThan(10)
  await store.close()
})

test('large pages are right, also where many are asked for at once and others are made meanwhile', async () => {
  using folder = tempFolder()
  const store = await open(join(folder.path, 'x.db'))
  await makeAll(store)
  await using server = serveTest(store)
  const sizes = [250, 1, 25, 30, 2, 250, 3, 25, 59, 4]
  const expected = await Promise.all(sizes.map((size) => expectedPage(store, 1, size)))
  const received = await Promise.all(
    sizes.map(async (size) => (await fetch(`${server.url}api/v1/passports?per_page=${size}`)).text()),
  )
  for (const [at, text] of received.entries()) expect(text === expected[at]).toBe(true)
  await store.close()
})
