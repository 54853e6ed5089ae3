import { expect, test } from 'bun:test'
import { copyStore } from '../../src/ingest/copy.ts'
import { openTestStore, saveRecords } from '../support/store/engines.ts'
import { NOON, named, PEOPLE } from '../support/store/records.ts'

test('a copy detects changes of the source during the copy, and the next copy catches up', async () => {
  await using from = await openTestStore('sqlite', PEOPLE)
  await using to = await openTestStore('postgres')
  const options = { from, to, signal: new AbortController().signal }
  let changed: Promise<unknown> | undefined
  const reports = await copyStore({
    ...options,
    onProgress(part) {
      // The passports have been copied at this point.
      if (part === 'keys') changed ??= saveRecords(from, [named(50, 'Late')])
    },
  })
  await changed
  expect(reports.filter(({ isSame }) => !isSame)).toMatchObject([{ name: 'passports', count: 5 }])
  const again = await copyStore({ ...options, onProgress: () => undefined })
  expect(again.every(({ isSame }) => isSame)).toBe(true)
  expect(await to.passports.find({ id: 50 })).toMatchObject({ profile: { displayName: 'Late' } })
})

test('a copy stops when its signal is aborted', async () => {
  await using from = await openTestStore('sqlite', PEOPLE)
  await using to = await openTestStore('sqlite')
  const controller = new AbortController()
  const { signal } = controller
  const copying = copyStore({ from, to, signal, onProgress: () => controller.abort() })
  expect(await copying.catch((error) => error.name)).toBe('AbortError')
})

test.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a copy from %s to %s keeps the fields that only V2 shows', async (source, target) => {
  const later = { imageUrl: '/own.png', mainWalletChangedAt: NOON, nominations: 4 }
  await using from = await openTestStore(source, [...PEOPLE, { ...named(50, 'Late'), ...later }])
  await using to = await openTestStore(target)
  const { signal } = new AbortController()
  const reports = await copyStore({ from, to, signal, onProgress: () => undefined })
  expect(reports.every(({ isSame }) => isSame)).toBe(true)
  expect((await to.records.list(49, 1))[0]).toMatchObject(later)
  for (const id of [3, 7, 12, 50, 900]) {
    expect(await to.v2.findPassport({ id })).toEqual(await from.v2.findPassport({ id }))
  }
})
