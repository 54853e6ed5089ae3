import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { sumScores } from '../../src/core/passport/credential.ts'
import { openStore } from '../../src/core/store/open.ts'
import type { Store } from '../../src/core/store/store.ts'
import { CREDENTIALS, manyPeople, sqliteDataSet } from './data-set.ts'

const BATCH = 500

/** Changes every passport as scoring does: one credential gets a new score, and the first one a new value. */
export async function saveChange(
  { records }: Store,
  passports: number,
  change: number,
  now: number,
): Promise<void> {
  const people = [...manyPeople(passports)]
  for (let at = 0; at < people.length; at += BATCH) {
    const batch = people.slice(at, at + BATCH).map((person) => {
      const credentials = person.credentials.slice(0, CREDENTIALS).map((credential, index) => {
        const score = credential.score + (index === change % CREDENTIALS ? change : 0)
        return {
          ...credential,
          score,
          givenScore: score,
          value: `${credential.value} ${index === 0 ? change : ''}`,
        }
      })
      const passport = { ...person, credentials, scores: sumScores(credentials), calculatedAt: now }
      return { kind: 'passport' as const, passport }
    })
    await records.save(batch, { now, restore: false })
  }
}

/** The number of passports that change, and the number of changes of each. */
export const CHANGED = 1000
const CHANGES = 5

/** The number of credentials of the largest passport. A lookup that repeats this passport has a response of 60 MB. */
const MOST_CREDENTIALS = 150
const LONG_VALUE = 'value '.repeat(30)

/**
 * Copies a data set, adds a large passport, and changes the passports with the lowest ids after the time `before`.
 */
export async function copyWithHistory(
  passports: number,
  folder: string,
  prepare: (store: Store) => Promise<unknown> = async () => undefined,
): Promise<{ path: string; before: string; largest: number }> {
  const path = join(folder, 'people.db')
  copyFileSync(await sqliteDataSet(passports), path)
  const store = await openStore({ engine: 'sqlite', path })
  await prepare(store)
  const largest = passports + 1
  await saveLarge(store, largest)
  const before = Date.now()
  for (let change = 1; change <= CHANGES; change++) await saveChange(store, CHANGED, change, before + change)
  await store.database.close()
  return { path, before: new Date(before).toISOString(), largest }
}

async function saveLarge({ records }: Store, id: number): Promise<void> {
  const [person] = manyPeople(1)
  const [credential] = person?.credentials ?? []
  if (!person || !credential) throw new Error('The data set has no credentials.')
  const credentials = Array.from({ length: MOST_CREDENTIALS }, (_, at) => ({
    ...credential,
    id: `large-${at}`,
    value: LONG_VALUE,
  }))
  const passport = {
    ...person,
    id,
    mainWallet: '',
    verifiedWallets: [],
    credentials,
    scores: sumScores(credentials),
  }
  await records.save([{ kind: 'passport', passport }], { now: Date.now(), restore: false })
}
