import { expect, test } from 'bun:test'
import type { Store } from '../../../src/core/store/store.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { copy, NONE, serveSource } from '../../support/mirror/mirror.ts'
import { owning } from '../../support/owning.ts'
import { onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { NOON, named } from '../../support/store/records.ts'

const person = (id: number) => named(id, `Person ${id}`, id)
const FIVE = [1, 2, 3, 4, 5].map(person)
const idsIn = async (store: Store) => (await store.records.list(-1, 100)).map(({ id }) => id)
const removeAll = async (store: Store, ids: readonly number[]) => {
  for (const id of ids) await store.passports.remove(id, NOON)
}

onEveryEngine('passports that are gone at the source', (open) => {
  test('a run with pruning removes passports that the source has removed, and a later run copies restored ones again', async () => {
    await using source = await serveSource(FIVE)
    await using target = await open([person(9)])
    await copy(target, source.url)
    await removeAll(source.store, [1, 2])
    const { report, gone } = await copy(target, source.url, { prune: 'some' })
    expect([report, gone]).toEqual([{ ...NONE, unchanged: 3, pruned: 2 }, []])
    // Passport 9 is not from the source.
    expect(await idsIn(target)).toEqual([3, 4, 5, 9])
    expect(await target.data(AUDIT).list({ limit: 9 })).toMatchObject([
      { actor: 'cli', action: 'passports.remove', detail: { passports: [1, 2] } },
    ])
    expect((await copy(target, source.url, { prune: 'some' })).report).toEqual({ ...NONE, unchanged: 3 })
    await source.store.records.save([{ kind: 'passport', passport: person(1) }], { now: NOON, restore: true })
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 3, copied: 1 })
    await target.passports.remove(9, NOON)
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
  })

  test('pruning does not remove passports that another source still has', async () => {
    await using source = await serveSource(FIVE)
    await using other = await serveSource(FIVE.slice(0, 2))
    await using target = await open()
    await copy(target, source.url)
    await copy(target, other.url)
    await removeAll(source.store, [1, 5])
    const { report, kept, gone } = await copy(target, source.url, { prune: 'some' })
    expect(report).toMatchObject({ gone: 1, pruned: 1, failed: 0 })
    expect([kept, gone]).toEqual([[`1: ${other.url} has it, too`], [1]])
    expect(await idsIn(target)).toEqual([1, 2, 3, 4])
  })

  test('pruning does not remove the survivor of a passport that stays, and removes nothing if most passports are gone', async () => {
    await using source = await serveSource(FIVE)
    await using empty = await serveSource([])
    await using target = await open()
    await copy(target, source.url)
    await target.passports.merge(2, 1)
    await removeAll(source.store, [1])
    const prune = (from: string) =>
      copy(target, source.url, {
        prune: 'some',
        fetch: (url, init) => fetch(url.replace(source.url, from), init),
      })
    const merged = await prune(source.url)
    expect(merged.report).toMatchObject({ gone: 1, pruned: 0, failed: 0 })
    expect(merged.kept).toEqual(['1: passport 2 is merged into it'])
    const { report, refusal } = await prune(empty.url)
    expect(report).toEqual({ ...NONE, gone: 5 })
    expect(refusal).toStartWith('5 of 5 copied passports are gone at the source')
    expect(await idsIn(target)).toEqual([1, 2, 3, 4, 5])
    await removeAll(source.store, [2])
    expect((await prune(source.url)).report).toEqual({ ...NONE, unchanged: 3, pruned: 2 })
  })

  test('passports that were removed from the copy stay removed, even if the source restores them', async () => {
    await using source = await serveSource(FIVE)
    await using target = await open()
    await copy(target, source.url)
    for (const store of [source.store, target]) await removeAll(store, [1])
    expect((await copy(target, source.url, { prune: 'some' })).report).toEqual({ ...NONE, unchanged: 4 })
    await saveRecords(source.store, [person(1)], { restore: true })
    expect((await copy(target, source.url)).report).toEqual({ ...NONE, unchanged: 4, removed: 1 })
  })

  test('a run can give the wallet of a pruned passport to another passport', async () => {
    const owner = { ...person(1), mainWallet: '0xw' }
    await using source = await serveSource([owner, ...FIVE.slice(1)])
    await using target = await open()
    await copy(target, source.url)
    await removeAll(source.store, [1])
    await saveRecords(source.store, [{ ...person(2), mainWallet: '0xw' }], { restore: true })
    const { report, failures } = await copy(target, source.url, { prune: 'some' })
    expect([report, failures]).toEqual([{ ...NONE, unchanged: 3, copied: 1, pruned: 1 }, []])
  })
})

/** A source whose passports 1 and 2 were removed after a first copy. */
async function prunePlace() {
  const source = await serveSource(FIVE)
  const target = await openTestStore('sqlite')
  await copy(target, source.url)
  await removeAll(source.store, [1, 2])
  const prune = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
    copy(target, source.url, { prune: 'all', fetch })
  return owning({ source, target, prune }, source, target)
}

test('a run prunes nothing if the source failed to respond to a request', async () => {
  await using given = await prunePlace()
  const { report, refusal } = await given.prune(async (url, init) =>
    url.endsWith('/passports/5') ? new Response('', { status: 500 }) : fetch(url, init),
  )
  expect(report).toMatchObject({ gone: 2, pruned: 0, failed: 1 })
  expect(refusal).toBe('some requests failed')
  expect(await idsIn(given.target)).toEqual([1, 2, 3, 4, 5])
})
