import { expect, test } from 'bun:test'
import { type Reply, serveTest, shareServer } from '../../support/http/server.ts'
import { serveLookup } from '../../support/http/servers.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { dataPoint, NOON, record } from '../../support/store/records.ts'
import { adoptRules, createExplainer, DEFAULT_RULES, scoreNow } from '../../support/store/scoring.ts'

const MEGABYTE = 1024 * 1024
const LISTED = 10

/** A passport whose explanation has a megabyte: each type has its own line. */
const large = (id: number) =>
  record(id, {
    dataPoints: Array.from({ length: 1900 }, (_, at) => ({
      ...dataPoint(`${at}`.padEnd(90, 'x'), 1),
      account: 'a'.repeat(30),
    })),
  })

const all = Array.from({ length: LISTED }, (_, at) => large(at + 1))

/** A store whose scores are calculated. */
async function openScored(records: typeof all) {
  const store = await openTestStore('sqlite', records)
  await adoptRules({ store, rules: DEFAULT_RULES })
  await scoreNow(store)
  return store
}

test('an explanation shows 20 accounts of a line, the number of the others, and a link to all, page by page', async () => {
  const points = (type: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...dataPoint(type, at), account: `a${at}` }))
  const dataPoints = [...points('github', 225), ...points('kites', 20)]
  await using store = await openScored([record(1, { dataPoints })])
  await using server = serveTest(store)
  const { body } = await server.get('/api/v3/passports/1?include=explanation')
  const shown = body.explanation.lines.map((line: { accounts: unknown[]; more_accounts: number }) => [
    line.accounts.length,
    line.more_accounts,
  ])
  expect(shown.sort()).toEqual([
    [20, 0],
    [20, 205],
  ])
  const line = body.explanation.lines.find(({ type }: { type: string }) => type === 'github')
  const pages = [(await server.get(line.accounts_link)).body]
  for (let next = pages[0].next; next !== null; next = pages.at(-1).next)
    pages.push((await server.get(`${line.accounts_link}&cursor=${next}`)).body)
  expect(pages.map(({ accounts }) => accounts.length)).toEqual([100, 100, 25])
  expect(pages[0].accounts.slice(0, 20)).toEqual(line.accounts)
  const names = pages.flatMap(({ accounts }) => accounts.map(({ account }: { account: string }) => account))
  expect(new Set(names).size).toBe(225)
})

test.each([
  ['/api/v3/passports/1/accounts', 400, 'type must be given.'],
  [
    '/api/v3/passports/1/accounts?type=kites',
    404,
    'The explanation of "1" has no line for the type "kites".',
  ],
  ['/api/v3/passports/99/accounts?type=kites', 404, 'There is no passport "99".'],
  ['/api/v3/passports/1/accounts?type=kites&cursor=x', 400, 'cursor must be'],
])('%s gets %d', async (path, status, detail) => {
  const { body, ...reply } = await server.get(path)
  expect(reply.status).toBe(status)
  expect(body.errors?.[0]?.detail ?? body.detail).toContain(detail)
})

/** Follows the cursors, and returns the ids and the bytes of each page. */
async function walk(get: (path: string) => Promise<Reply>, query: string) {
  const pages: { ids: number[]; bytes: number }[] = []
  for (let cursor = ''; ; ) {
    const { body, text } = await get(`/api/v3/passports?include=explanation&limit=50&${query}${cursor}`)
    const ids = body.items.map(({ passport_id }: { passport_id: number }) => passport_id)
    pages.push({ ids, bytes: Buffer.byteLength(text) })
    if (body.next === null) return pages
    cursor = `&cursor=${body.next}`
  }
}

const server = shareServer(() => openScored(all), serveLookup)

test('a list with explanations ends before 4 MB, and its cursor continues with the next passport', async () => {
  const pages = await walk(server.get, 'sort=-score')
  expect(pages.length).toBeGreaterThan(2)
  for (const { bytes } of pages) expect(bytes).toBeLessThan(4 * MEGABYTE + 1000)
  expect(pages.flatMap(({ ids }) => ids)).toEqual(all.map(({ id }) => id))
})

test('a list of the largest changes with explanations ends before 4 MB, too', async () => {
  await using store = await openTestStore('sqlite', [record(99)])
  await saveRecords(store, all, { now: NOON + 2 })
  await adoptRules({ store, rules: DEFAULT_RULES })
  await scoreNow(store)
  await using server = serveTest(store, { now: () => NOON + 3 })
  const since = new Date(NOON + 1).toISOString()
  const pages = await walk(server.get, `sort=-added&since=${since}`)
  expect(pages.length).toBeGreaterThan(2)
  for (const { bytes } of pages) expect(bytes).toBeLessThan(4 * MEGABYTE + 100_000)
  expect(pages.flatMap(({ ids }) => ids).sort((one, other) => one - other)).toEqual(all.map(({ id }) => id))
})

test('a lookup with explanations reads the data points of at most four passports at once', async () => {
  await using store = await openScored(all.slice(0, 6))
  const explain = createExplainer(store)
  const sizes: number[] = []
  await using server = await serveLookup(store, {
    explainAll(passports) {
      sizes.push(passports.length)
      return explain(passports)
    },
  })
  const keys = all.slice(0, 6).map(({ id }) => String(id))
  const { body } = await server.lookUp(keys, { include: ['explanation'] })
  expect(body.found).toBe(6)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
})
