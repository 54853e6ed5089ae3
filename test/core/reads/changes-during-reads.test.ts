import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { readable, serveExplorer } from '../../support/explorer/explorer-server.ts'
import { onEveryEngine, saveRecords } from '../../support/store/engines.ts'
import { credential, NOON, record } from '../../support/store/records.ts'
import { DEFAULT_RULES, findExplanation } from '../../support/store/scoring.ts'

const version = (name: string, score: number) =>
  record(1, {
    profile: { displayName: `Ada ${name}` },
    scores: { total: score, identity: score },
    credentials: [credential(name, { name: `Credential ${name}`, score })],
  })

const OLD = version('old', 2)
const NEW = version('new', 3)

/** Returns a store that makes a change after the first read. */
function withChange(store: Store, change: () => unknown): Store {
  let isChanged = false
  const after = <T extends object>(group: T): T =>
    new Proxy(group, {
      get: (_, name: keyof T & string) => {
        const method = group[name] as (...args: unknown[]) => unknown
        if (name !== 'find' && name !== 'list') return method
        return async (...args: unknown[]) => {
          const result = await method(...args)
          if (!isChanged) {
            isChanged = true
            await change()
          }
          return result
        }
      },
    })
  return {
    ...store,
    passports: after(store.passports),
    scoring: after(store.scoring),
  }
}

const CHANGES = [
  ['removed', (store: Store) => store.passports.remove(1, NOON)],
  ['changed', (store: Store) => saveRecords(store, [NEW])],
] as const

onEveryEngine('a passport that changes while it is read', (open) => {
  test.each(CHANGES)('a page shows the old passport if it is %s meanwhile', async (_, change) => {
    for (const path of ['/passports/1', '/passports/1/score']) {
      await using store = await open([OLD])
      await using server = serveExplorer(withChange(store, () => change(store)))
      const { status, text } = await server.look(path)
      expect([path, status]).toEqual([path, 200])
      expect(readable(text)).toContain('Credential old')
      expect(readable(text)).toContain('Ada old')
      expect(text).not.toContain('new')
    }
  })

  test.each(CHANGES)('an explanation covers the old passport if it is %s meanwhile', async (_, change) => {
    await using store = await open([OLD])
    const changing = withChange(store, () => change(store))
    expect(await findExplanation(changing, { id: 1 }, DEFAULT_RULES, NOON)).toMatchObject({
      passport: { profile: { displayName: 'Ada old' } },
      outcome: { lines: [{ name: 'Credential old' }] },
      notes: [],
    })
  })
})
