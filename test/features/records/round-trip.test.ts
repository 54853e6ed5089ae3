import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { exportAll, workplace } from '../../support/cli-sandbox.ts'
import { readFrozen } from '../../support/frozen/frozen-versions.ts'
import { listAll } from '../../support/index/local-index.ts'
import { connect } from '../../support/postgres/connection-urls.ts'
import { onBothEngines, withEveryEngine } from '../../support/store/engines.ts'
import { toLines } from '../../support/store/json-lines.ts'
import { histories, importParts, importText, REFS, take } from '../../support/store/random-histories.ts'
import { ada, NOON, PEOPLE } from '../../support/store/records.ts'
import { adoptRules, rescoreSome, scorerOf } from '../../support/store/scoring.ts'

async function everything(store: Store) {
  const found = await Promise.all(REFS.map((ref) => store.passports.findWithCredentials(ref)))
  const frozen = await Promise.all(REFS.map((ref) => readFrozen(store, ref)))
  return { found, frozen, list: await listAll(store) }
}

/** Leaves out the credentials of stale passports: responses show old credentials, which are not exported. */
async function scored(store: Store) {
  const { found, frozen, list } = await everything(store)
  const isStale = (at: number) => found[at]?.passport.stale ?? false
  return {
    list,
    found: found.map((each) => (each?.passport.stale ? each.passport : each)),
    frozen: frozen.map((bodies, at) =>
      Object.entries(bodies).filter(([name]) => !isStale(at) || !name.endsWith('credentials')),
    ),
  }
}

onBothEngines('an export', (open, engine) => {
  test('after a random history, the import of an export gives the same responses, and changes nothing in its own database', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        await using store = await open()
        const scorer = scorerOf(store)
        await adoptRules(scorer)
        for (const each of steps) await take(store, scorer, each)
        const text = await exportAll(store)
        const end = (await store.events.log()).last
        const { lines, unchanged } = (await importParts(store, [text])).report
        expect([unchanged, (await store.events.log()).last]).toEqual([lines, end])
        expect(await exportAll(store)).toBe(text)

        await using copy = await open()
        await adoptRules({ ...scorer, store: copy })
        expect(await importText(copy, text)).toEqual([])
        expect(await scored(copy)).toEqual(await scored(store))
        expect(await exportAll(copy)).toBe(text)
        expect(await importText(copy, text)).toEqual([])
        expect(await exportAll(copy)).toBe(text)
        for (const each of [store, copy]) while (await rescoreSome({ ...scorer, store: each }));
        expect(await everything(copy)).toEqual(await everything(store))
      }),
      // The seed makes the histories reproducible.
      { numRuns: engine === 'sqlite' ? 6 : 1, seed: 1815 },
    )
  })
})

onBothEngines('records that are imported again', (open) => {
  test('the same line adds fields that an earlier version of passportd ignored', async () => {
    await using store = await open()
    const source = new TextEncoder().encode('the same line')
    const nominated = { ...ada, nominations: 2 }
    const save = async (passport: PassportRecord) =>
      (await store.records.save([{ kind: 'passport', passport, source }], { now: NOON, restore: false }))[0]
    expect(await save(ada)).toEqual({ outcome: 'added' })
    expect(await save(nominated)).toEqual({ outcome: 'changed' })
    expect(await save(nominated)).toEqual({ outcome: 'unchanged' })
    expect(await store.records.list(0, 9)).toMatchObject([{ id: 7, nominations: 2 }])
  })
})

/** Both files exceed one batch. The points belong to the people. The last person takes the wallet of the first. */
const files = {
  'people.jsonl': toLines(
    ...Array.from({ length: 700 }, (_, id) => ({ passport_id: 1000 + id, main_wallet: `0x${1000 + id}` })),
    { passport_id: 1000 },
    { passport_id: 5000, main_wallet: '0x1000' },
  ),
  'points.jsonl': toLines(
    ...Array.from({ length: 700 }, (_, id) => ({ passport: 1000 + id, type: 'github', value: id })),
  ),
}
const NAMES = ['people.jsonl', 'points.jsonl']
const pathsIn = (folder: string) => NAMES.map((name) => join(folder, name))

withEveryEngine('import --dry-run', (makeDatabase, engine) => {
  test('a dry run of several files reports the same as the import, and changes nothing', async () => {
    await using here = await workplace(makeDatabase, { files, records: PEOPLE })
    const before = await here.look((store) => store.records.list(0, 2000))
    const dry = await here.call('import', '--dry-run', ...pathsIn(here.cwd))
    expect(await here.look((store) => store.records.list(0, 2000))).toEqual(before)
    const real = await here.call('import', ...pathsIn(here.cwd))
    expect(dry).toEqual({ ...real, err: `Nothing was imported. ${real.err}` })
    expect(real.code).toBe(0)
  })

  test('a dry run on a missing database reports the same as the import, and creates no file, folder or table', async () => {
    await using here = await workplace(makeDatabase, { files, bare: true })
    const dry = await here.call('import', '--dry-run', ...pathsIn(here.cwd))
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining('1,402 lines: 1,401 added') })
    expect(existsSync(here.database)).toBe(false)
    expect(readdirSync(here.cwd).toSorted()).toEqual(NAMES)
    if (engine === 'postgres') {
      await using sql = connect(here.env.DATABASE_URL)
      expect(await sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
    } else {
      here.env.DATABASE_URL = `sqlite:${here.path('data/new.db')}`
      expect((await here.call('import', '--dry-run', ...pathsIn(here.cwd))).code).toBe(0)
      expect(existsSync(here.path('data'))).toBe(false)
    }
  })
})
