import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { addressOf, saveRecords, withEveryEngine } from '../../support/store/engines.ts'
import { separateCredentials } from '../../support/store/execute-sql.ts'
import { CREDENTIAL_BODIES, EXPORTS, openStore, V1_BODIES, V2_BODIES } from '../../support/store/open.ts'
import { takeSteps } from '../../support/store/random-histories.ts'
import { credential, dataPoint, NOON, record } from '../../support/store/records.ts'
import { DEFAULT_RULES, findExplanation, hand, scoreNow } from '../../support/store/scoring.ts'

const IDS = Array.from({ length: 20 }, (_, id) => id)

withEveryEngine('a database with credentials in two tables', (makeDatabase) => {
  test('a migration keeps every response, export and explanation, whoever scored the credentials', async () => {
    await using database = await makeDatabase()
    const address = addressOf(database)
    let store = await openStore(address)
    await fill(store)
    const before = await readAll(store)
    expect(before.join()).toContain('"issuer":"lab"')
    expect(before.join()).toContain('"superseded":true')
    expect(before.join()).toContain('"score":null')
    await store.database.close()

    await separateCredentials(database.url)
    store = await openStore(address)
    expect(await readAll(store)).toEqual(before)
    // The scorer continues with the converted rows.
    await store.scoring.markAll()
    await scoreNow(store)
    const after = await readAll(store)
    await store.database.close()

    await separateCredentials(database.url)
    store = await openStore(address)
    expect(await readAll(store)).toEqual(after)
    await store.database.close()
  })
})

/** Passports 0 to 7 have random histories, the others have every kind of credential. */
async function fill(store: Store): Promise<void> {
  await takeSteps(store, 1815, 60)
  const github = (score: number) => credential('a', { type: 'github', score, givenScore: score, maxScore: 9 })
  const unscored = credential('b', { type: 'kites', score: 0, givenScore: 0, lacksScore: true })
  const capped = credential('c', { type: 'chess', score: 40, maxScore: 40, givenScore: 50 })
  const kinds = [[], [github(4)], [unscored], [capped], [github(4), unscored, capped]]
  for (const [at, credentials] of kinds.entries()) {
    const ids = [at + 8, at + 13]
    await saveRecords(
      store,
      ids.map((id) => record(id, { credentials })),
    )
    for (const id of ids) await hand(store, { id }, { ...dataPoint('github', 20 * id, 'x'), issuer: 'lab' })
  }
  await scoreNow(store)
  // New credentials are not shown until they are scored.
  await saveRecords(
    store,
    [8, 12, 13, 14].map((id) => record(id, { credentials: [github(9)], human: true })),
  )
  await saveRecords(store, [record(18), record(19, { credentials: [capped], stale: true })])
  await store.passports.merge(9, 10, NOON)
  await store.passports.merge(13, 14, NOON)
  await store.passports.hide(12, true, NOON)
  await store.passports.hide(17, true, NOON)
}

async function readAll(store: Store): Promise<string[]> {
  const texts: string[] = []
  for (const id of IDS) {
    const exported = await store.data(EXPORTS).export(id)
    const responses = [
      await store.data(V1_BODIES).findPassport({ id }),
      await store.data(V2_BODIES).findPassport({ id }),
      await store.data(CREDENTIAL_BODIES).find({ id }),
      await store.passports.findByKeys([{ id }], { credentials: true }),
      await store.passports.findByKeys([{ id }, { id: 0 }], { credentials: true }),
      await store.passports.findWithCredentials({ id }),
      await findExplanation(store, { id }, DEFAULT_RULES, NOON),
      exported,
    ]
    texts.push(...responses.map((response) => JSON.stringify(response)))
  }
  return [...texts, JSON.stringify(await store.records.list(-1, 100))]
}
