import { expect, test } from 'bun:test'
import { copyStore } from '../../../../src/features/copy/copy.ts'
import { openTestStore, saveRecords } from '../../../support/store/engines.ts'
import { named, PEOPLE } from '../../../support/store/records.ts'

test('a copy detects that the source changed meanwhile, and the next copy adds these changes', async () => {
  await using from = await openTestStore('sqlite', PEOPLE)
  await using to = await openTestStore('postgres')
  const options = { from, to, signal: new AbortController().signal }
  let changed: Promise<unknown> | undefined
  const reports = await copyStore({
    ...options,
    onProgress(part) {
      // The source changes when its tables have been copied.
      if (part === 'wallets') changed ??= saveRecords(from, [named(50, 'Late')])
    },
  })
  await changed
  expect(reports.filter(({ isSame }) => !isSame)).toContainEqual(
    expect.objectContaining({ name: 'passports', count: 5 }),
  )
  const again = await copyStore({ ...options, onProgress: () => undefined })
  expect(again.every(({ isSame }) => isSame)).toBe(true)
  expect(await to.passports.find({ id: 50 })).toMatchObject({ profile: { displayName: 'Late' } })
})

test('a copy between two SQLite files stops when its signal is aborted by an event', async () => {
  await using from = await openTestStore('sqlite', PEOPLE)
  await using to = await openTestStore('sqlite')
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  const copying = copyStore({ from, to, signal: controller.signal, onProgress: () => undefined })
  expect(await copying.catch((error) => error.name)).toBe('AbortError')
})
