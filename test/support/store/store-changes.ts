import { adoptRules } from '../../../src/core/scoring/rescore.ts'
import { DEFAULT_RULES } from '../../../src/core/scoring/stamped-rule-set.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { copyStore } from '../../../src/features/copy/copy.ts'
import type { CopyableTable } from '../../../src/features/copy/statements.ts'
import { type EngineName, openTestStore, saveRecords } from './engines.ts'
import { COPY } from './open.ts'
import { ada, credential, grace, graceOld, NOON, nobody, record } from './records.ts'
import { contracts, hand, OPTIONS, scoreNow } from './scoring.ts'

const restingAda = { ...ada, stale: false }

/** People whose scores are up to date. */
export const AT_REST = [restingAda, grace, graceOld, nobody]

export async function score(store: Store): Promise<void> {
  await scoreNow(store)
}

type Change = (store: Store) => unknown

/** Each change alters the passport response of the passport with this id. */
const PASSPORT_CHANGES: [what: string, id: number, change: Change][] = [
  ['a record with other fields', 12, save(record(12, { connections: 1 }))],
  ['a data point', 12, addPoint],
  ['a stale score', 7, (store) => store.scoring.markAll()],
  ['a new score', 12, inOrder((store) => store.scoring.markAll(), score)],
  ['a rule set that changes its score', 7, inOrder(adopt('one'), adopt('capped', { Skills: 1 }))],
  ['a merge, for the survivor', 7, (store) => store.passports.merge(12, 7)],
  ['the end of a merge, for the survivor', 3, (store) => store.passports.unmerge(900)],
  ['the removal of its merged passport', 3, (store) => store.passports.remove(900, NOON)],
  ['a new record that is merged into it', 7, save(record(1, { mergedInto: 7 }))],
  ['a stored passport that is merged into it', 7, save({ ...nobody, mergedInto: 7 })],
]

/** Each change alters the passport response and the credentials response of the passport with this id. */
const CREDENTIAL_CHANGES: [what: string, id: number, change: Change][] = [
  ['a record with other credentials', 7, save({ ...restingAda, credentials: [credential('new')] })],
  ['a record with the first credentials', 12, save({ ...nobody, credentials: [credential('first')] })],
  ['a record without credentials', 7, save({ ...restingAda, credentials: [] })],
  ['a data point that was scored', 12, inOrder(addPoint, score)],
  ['a merge, for the merged passport', 12, (store) => store.passports.merge(12, 7)],
  ['a record that merges it', 12, save({ ...nobody, mergedInto: 7 })],
  ['a removal', 7, (store) => store.passports.remove(7, NOON)],
  ['a removal record', 12, (store) => store.records.save([{ kind: 'removal', id: 12 }], OPTIONS)],
  ['a copy of other passports', 7, copyOver([{ ...restingAda, connections: 9 }, nobody])],
  ['a copy without it', 7, copyOver([nobody])],
]

/** Changes that random histories do not contain. */
const RARE = /copy|removal record|rule set/

export function changesFor(engine: EngineName) {
  const changes = [...PASSPORT_CHANGES, ...CREDENTIAL_CHANGES]
  return engine === 'sqlite' ? changes : changes.filter(([what]) => RARE.test(what))
}

function save(passport: Parameters<typeof saveRecords>[1][number]): Change {
  return (store) => saveRecords(store, [passport])
}

function addPoint(store: Store) {
  return hand(store, { id: 12 }, contracts(9))
}

function adopt(stamp: string, caps = {}): Change {
  return (store) => adoptRules({ store, rules: { ...DEFAULT_RULES, stamp, caps } })
}

function inOrder(first: Change, second: Change): Change {
  return async (store) => {
    await first(store)
    await second(store)
  }
}

function copyOver(records: Parameters<typeof saveRecords>[1]): Change {
  return async (store) => {
    await using other = await openTestStore('sqlite', records)
    await copyPassports(other, store)
  }
}

/** Makes the contents of a store equal to those of another one. */
export const copyPassports = (from: Store, to: Store) =>
  copyStore({ from, to, signal: new AbortController().signal, onProgress: () => undefined })

/** A table as a copy reads and writes it. */
export const tableOf = async (store: Store, wanted: string) =>
  (await store.data(COPY).listTables()).find(({ name }) => name === wanted) as CopyableTable
