/** The operations that bench/files-per-operation/main.ts runs under coverage. */
import { expect, test } from 'bun:test'
import type { Store } from '../../src/core/store/store.ts'
import { importRecords } from '../../src/features/records/import.ts'
import { serveExplorer } from '../../test/support/explorer/explorer-server.ts'
import { openTestStore } from '../../test/support/store/engines.ts'
import { NOON, named } from '../../test/support/store/records.ts'

const count = Number(process.env.COUNT)

const IMPORT = 'import of one line'

/** Lists and pages have new parameters in each request, so that no response comes from a cache. */
const PATHS: Record<string, (number: number) => string> = {
  'by id': () => '/api/v1/passports/7',
  keyword: (number) => `/api/v1/passports?keyword=ada+${number}`,
  'filtered list': (number) => `/api/v3/passports?filter=score:<${number + 1}`,
  'profile page': (number) => `/passports/${number + 1}`,
}

test('the operation succeeds', async () => {
  const operation = process.env.OPERATION ?? ''
  const people = Array.from({ length: 200 }, (_, index) => named(index + 1, `Ada ${index}`))
  await using store = await openTestStore('sqlite', people)
  expect(operation in PATHS || operation === IMPORT).toBeTrue()
  if (operation === IMPORT) {
    for (let number = 0; number < count; number++) expect(await importLine(store, number)).toBe(1)
    return
  }
  await using server = serveExplorer(store)
  for (let number = 0; number < count; number++) {
    const { status } = await fetch(new URL((PATHS[operation] as (typeof PATHS)[string])(number), server.url))
    expect(status).toBe(200)
  }
})

/** Imports a passport with a data point. Returns the number of added passports. */
async function importLine(store: Store, number: number): Promise<number> {
  const line = JSON.stringify({
    passport_id: 1000 + number,
    main_wallet: `0x${String(number).padStart(40, '0')}`,
    passport_profile: { display_name: 'Ada' },
    data_points: [{ type: 'github', account: `ada${number}`, value: 7 }],
  })
  async function* open() {
    yield new TextEncoder().encode(`${line}\n`)
  }
  const { added } = await importRecords([{ name: 'one line', open }], {
    store,
    restore: false,
    dryRun: false,
    strict: true,
    rawKindOf: () => 'number',
    rescore: false,
    now: NOON,
    onRefusal: ({ reason }) => expect(reason).toBe(''),
    onProgress: () => undefined,
  })
  return added
}
