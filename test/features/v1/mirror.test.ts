import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { NO_PLAN, retiredBy } from '../../support/features/retire.ts'
import { serveTest } from '../../support/http/server.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { CROWD, copy, NONE, ofPassports, serveSource } from '../../support/mirror/mirror.ts'
import { SourceError } from '../../support/mirror/throttled-client.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { NOON, named } from '../../support/store/records.ts'

const FIVE = [1, 2, 3, 4, 5].map((id) => named(id, `Person ${id}`, id))

test('a mirror of V1 serves the same responses, and a second run copies only changes and merges', async () => {
  await using source = await serveSource(CROWD, {}, serveTest)
  await using target = await openTestStore('sqlite')
  expect((await copy(target, source.url)).report).toEqual({ ...NONE, copied: CROWD.length })
  expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
  const [one, other] = CROWD as [(typeof CROWD)[number], (typeof CROWD)[number]]
  await saveRecords(source.store, [{ ...one, connections: 99 }])
  await source.store.passports.merge(other.id, one.id)
  source.seen.length = 0
  const { report } = await copy(target, source.url)
  expect(report).toEqual({ ...NONE, copied: 1, merged: 1, unchanged: CROWD.length - 2 })
  expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
  const fresh = ofPassports(source.seen).filter(({ status }) => status === 304)
  expect(fresh.length).toBeGreaterThan(2 * CROWD.length - 10)
})

test.each(['brownouts', 'sunsetAt'])('a run prunes nothing if the source is retired (%s)', async (kind) => {
  await using source = await serveSource(FIVE, {}, serveTest)
  await using target = await openTestStore('sqlite')
  await copy(target, source.url)
  for (const id of [1, 2]) await source.store.passports.remove(id, NOON)
  const plan = kind === 'sunsetAt' ? { sunsetAt: NOON } : { brownouts: [{ start: NOON, end: NOON + 1000 }] }
  await using retired = serveTest(
    source.store,
    retiredBy(() => ({ ...NO_PLAN, ...plan })),
  )
  let isRetired = false
  const run = copy(target, source.url, {
    prune: 'all',
    async fetch(url, init) {
      isRetired ||= url.endsWith('/passports/1')
      return fetch(isRetired ? url.replace(source.url, retired.url.origin) : url, init)
    },
  })
  const result = await run.catch((error) => error)
  if (kind === 'sunsetAt') expect(result.refusal).toBe('the source no longer has a list of passports')
  else expect(result).toBeInstanceOf(SourceError)
  expect(await idsIn(target)).toEqual([1, 2, 3, 4, 5])
})

const idsIn = async (store: Store) => (await store.records.list(-1, 100)).map(({ id }) => id)
