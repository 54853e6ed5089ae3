import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { dataOf } from '../../src/feature.ts'
import { FEATURES } from '../../src/features.ts'
import { onEveryEngine } from '../support/store/engines.ts'
import { type AnyData, AUDIT, defineData, listTables, REMOVALS, RULE_SETS } from '../support/store/open.ts'

/** The tables of what the core keeps. */
const OF_CORE = [
  ...['passports', 'wallets', 'credentials', 'data_points', 'handles', 'keys', 'settings'],
  ...['events', 'event_log', 'log_secrets', 'listing', 'saved_index'],
  ...[AUDIT, REMOVALS, RULE_SETS].flatMap(({ tables = [] }) => tables),
]

const TABLES = defineData({
  name: 'tables',
  open: (database) => ({ list: () => listTables(database.read) }),
})

onEveryEngine('the database', (open, engine) => {
  test('the store has eight parts, because a feature opens its own statements', async () => {
    await using store = await open()
    const { url: _, ...parts } = store
    expect(Object.keys(parts).toSorted()).toEqual([
      'data',
      'database',
      'events',
      'keys',
      'listing',
      'passports',
      'records',
      'scoring',
    ])
  })

  test('each table belongs to the core or to one feature', async () => {
    await using store = await open()
    const ofFeatures = (await dataOf(FEATURES)).flatMap(({ tables = [] }) => tables)
    const ofEngine = engine === 'postgres' ? ['passportd'] : []
    const own = [...OF_CORE, ...ofEngine, ...ofFeatures]
    expect((await store.data(TABLES).list()).map(({ name }) => name)).toEqual(own.toSorted())
  })
})

test('each feature lists the data that its statements declare, because the writer thread runs the writes of the list', async () => {
  const features = join(import.meta.dir, '../../src/features')
  const isData = (value: unknown): value is AnyData =>
    typeof value === 'object' && value !== null && 'open' in value && 'name' in value
  const declared: AnyData[] = []
  for (const file of new Bun.Glob('*/*statements.ts').scanSync(features))
    declared.push(...Object.values(await import(join(features, file))).filter(isData))
  const names = (data: readonly AnyData[]) => data.map(({ name }) => name).toSorted()
  expect(names(declared)).toEqual(names(await dataOf(FEATURES)))
  expect(new Set(names(declared)).size).toBe(declared.length)
})
