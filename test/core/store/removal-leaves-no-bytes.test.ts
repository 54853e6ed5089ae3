import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../src/core/store/store.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { select } from '../../support/store/execute-sql.ts'
import { openSqlite } from '../../support/store/open.ts'
import { ada, credential, NOON, record } from '../../support/store/records.ts'
import { contracts, OPTIONS } from '../../support/store/scoring.ts'
import { score } from '../../support/store/store-changes.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** This word occurs only in the data of the removed person. */
const MARKER = 'qzx'
const REMOVED = 150

const person = (id: number, mark: string, length = 20) =>
  record(id, {
    stale: true,
    mainWallet: `0x${mark}${id}`,
    verifiedWallets: [`0x${mark}b${id}`],
    profile: {
      displayName: `${mark}name ${id}`,
      bio: `${mark}bio `.repeat(length),
      location: `${mark}location`,
      tags: [`${mark}tag`],
    },
    socials: ada.socials.map((social) => ({ ...social, name: `${mark}social` })),
    credentials: [credential(`${mark}credential`, { value: `${mark}value` })],
    dataPoints: [{ ...contracts(9), account: `${mark}account`, display: `${mark}point` }],
  })

/** Finds the marked words in the database file and its WAL, regardless of case. */
function marksIn(path: string): string[] {
  const files = [path, `${path}-wal`].filter(existsSync)
  const text = files.map((file) => readFileSync(file, 'latin1').toLowerCase()).join()
  return [...new Set(text.match(new RegExp(`.{0,3}${MARKER}.{0,12}`, 'g')))]
}

type Remove = (store: Store) => unknown
const REMOVALS: [how: string, remove: Remove][] = [
  ['by its id', (store) => store.passports.remove(REMOVED, NOON)],
  ['by a removal record', (store) => store.records.save([{ kind: 'removal', id: REMOVED }], OPTIONS)],
  [
    'with the survivor it was merged into',
    async (store) => {
      await store.passports.merge(REMOVED, 7)
      await store.passports.remove(7, NOON)
    },
  ],
]

async function fill(store: Store): Promise<void> {
  await saveRecords(
    store,
    Array.from({ length: 300 }, (_, id) => person(id, id === REMOVED ? MARKER : 'other', id % 50)),
  )
  await score(store)
}

test.each(REMOVALS)('a passport that is removed %s leaves no byte in the files', async (_, remove) => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  await fill(store)
  expect(marksIn(path).length).toBeGreaterThan(5)
  // A recent read does not prevent the truncation of the WAL.
  expect(await store.passports.find({ id: REMOVED })).toMatchObject({ id: REMOVED })
  const query = `select secret from log_secrets where passport_id = ${REMOVED}`
  const [{ secret } = { secret: '' }] = await select<{ secret: string }>(`sqlite:${path}`, query)
  expect(secret).toHaveLength(32)
  await remove(store)
  expect(marksIn(path)).toEqual([])
  expect(readFileSync(path).includes(secret)).toBe(false)
})

test('a removed passport that was changed and scored many times leaves no byte in the files', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'x.db')
  await using store = await openSqlite(path)
  await fill(store)
  for (let round = 0; round < 6; round++) {
    const neighbours = Array.from({ length: 30 }, (_, at) =>
      person(REMOVED - 15 + at, 'other', (at * round * 37) % 400),
    ).filter(({ id }) => id !== REMOVED)
    await saveRecords(store, neighbours)
    await saveRecords(store, [person(REMOVED, `${MARKER}${round}`, (round * 113) % 700)])
    await score(store)
  }
  await store.passports.remove(REMOVED, NOON)
  expect(marksIn(path)).toEqual([])
})
