import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { V1_PRESS } from '../../src/api/v1/press.ts'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import type { Store } from '../../src/store/store.ts'
import { expectComplete, expectTrue, found, makeAll, NONE } from '../support/documents.ts'
import { onEngine, saveRecords } from '../support/engines.ts'
import { NOON, record } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const [ONE, TWO, THREE, NOBODYS] = ['0x1', '0x2', '0x3', '0x4'] as const
const REFS = [{ id: 1 }, { id: 2 }, ...[ONE, TWO, THREE, NOBODYS].map((wallet) => ({ wallet }))]

const first = record(1, { mainWallet: ONE, verifiedWallets: [TWO] })
const second = record(2, { mainWallet: THREE })
const withoutTwo = { ...first, verifiedWallets: [] }
const withTwo = { ...second, verifiedWallets: [TWO] }

type Step = (store: Store) => unknown
const save =
  (...records: Parameters<typeof saveRecords>[1]): Step =>
  (store) =>
    saveRecords(store, records)

const HISTORIES: [what: string, steps: Step[]][] = [
  ['moves to another passport', [save(withoutTwo), save(withTwo)]],
  ['moves in one batch', [save(withoutTwo, withTwo)]],
  ['moves there and back', [save(withoutTwo), save(withTwo), save(second), save(first)]],
  ['is dropped', [save(withoutTwo)]],
  ['goes with its passport', [(store) => store.passports.remove(1, NOON)]],
  ['goes, and comes to another', [(store) => store.passports.remove(1, NOON), save(withTwo)]],
  [
    'is taken over in a merge, and taken back',
    [(store) => store.passports.merge(1, 2), save(withTwo), (store) => store.passports.unmerge(1)],
  ],
]

onEngine('sqlite', 'a wallet of documents', (open) => {
  for (const [when, between] of [
    ['before documents are made again', () => undefined],
    ['while a few of them are', (store: Store) => store.documents.make(1, V1_PRESS)],
    ['and all of them are each time', makeAll],
  ] as const) {
    test.each(HISTORIES)(`that %s leads where the rows lead, ${when}`, async (_, steps) => {
      await using store = await open([first, second])
      await makeAll(store)
      await expectComplete(store, REFS)
      for (const step of steps) {
        await step(store)
        await expectTrue(store, REFS)
        await between(store)
        await expectTrue(store, REFS)
      }
      await makeAll(store)
      await expectTrue(store, REFS)
      await expectComplete(store, REFS)
    })
  }

  test('that moved is settled, beside the passport that is gone', async () => {
    await using store = await open([first, second])
    await makeAll(store)
    await store.passports.remove(1, NOON)
    expect(await makeAll(store)).toBe(2 + 1)
    expect(await makeAll(store)).toBe(0)
  })

  test('whose passport has too large an id is looked for among the rows', async () => {
    await using store = await open([
      record(2 ** 33 - 1, { mainWallet: ONE }),
      record(2 ** 33, { mainWallet: TWO }),
    ])
    await makeAll(store)
    await expectComplete(store, [{ id: 2 ** 33 }, { wallet: ONE }])
    expect(found(store, { wallet: TWO })).toEqual(NONE)
  })
})

/** A file with documents, and a connection of somebody else. */
async function shared() {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const stores: Store[] = []
  const open = () => {
    stores.push(openSqlite(path))
    return stores.at(-1) as Store
  }
  const store = open()
  await saveRecords(store, [first, second])
  await makeAll(store)
  const other = new Database(path)
  return {
    store,
    open,
    countKeys: () =>
      other.query<{ count: number }, []>('select count(*) as count from wallet_keys').get()?.count,
    async change(...statements: string[]) {
      for (const sql of statements) other.run(sql)
      // For so long reads share a view.
      await Bun.sleep(10)
    },
    async [Symbol.asyncDispose]() {
      other.close()
      for (const each of stores) await each.close()
      folder[Symbol.dispose]()
    },
  }
}

test.each([
  ['a change of owner', `update or replace wallets set passport_id = 2 where address = '${TWO}'`],
  ['a change of address', `update wallets set address = '${NOBODYS}' where address = '${TWO}'`],
  ['a deletion', `delete from wallets where address = '${TWO}'`],
])('%s by another program is seen, and again', async (_, sql) => {
  await using file = await shared()
  await file.change(
    sql,
    `update or fail wallets set passport_id = 3 - passport_id where address <> '${THREE}'`,
  )
  await expectTrue(file.store, REFS)
  await file.change(`update or abort wallets set passport_id = 1 where address <> '${THREE}'`)
  await expectTrue(file.store, REFS)
  await makeAll(file.store)
  await expectTrue(file.store, REFS)
})

test('a key that belongs to another wallet leads nowhere', async () => {
  await using file = await shared()
  await file.change('update wallet_keys set owner = owner / 1048576 * 1048576 + (owner + 1) % 1048576')
  expect(found(file.store, { wallet: ONE })).toEqual(NONE)
})

test('keys of another generation are cleared away, and those of wallets that move meanwhile are right', async () => {
  await using file = await shared()
  await file.change('update wallet_keys set owner = 0', `update document_state set form = ''`)
  const store = file.open()
  for (const step of [() => undefined, save(withoutTwo), save(withTwo)]) {
    await step(store)
    await store.documents.make(1, V1_PRESS)
    await expectTrue(store, REFS)
  }
  await makeAll(store)
  await expectTrue(store, REFS)
  await expectComplete(store, REFS)
  expect(file.countKeys()).toBe(3)
})
