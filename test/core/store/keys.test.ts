import { expect, test } from 'bun:test'
import { USAGE } from '../../support/features/keys.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { AUDIT } from '../../support/store/open.ts'
import { apiKey } from '../../support/store/records.ts'

const key = apiKey('one', { name: 'Åsa', expiresAt: 9 })

onEveryEngine('keys', (open) => {
  test('a key that is revoked twice keeps the date of the first revocation', async () => {
    await using store = await open()
    await store.keys.create(key)
    for (const time of [5, 6]) expect(await store.keys.revoke('one', time)).toBe(true)
    expect(await store.keys.find('one')).toEqual({ ...key, revokedAt: 5 })
    expect(await store.keys.revoke('two', 5)).toBe(false)
    const actions = (await store.data(AUDIT).list({ limit: 9 })).map(({ action }) => action)
    expect(actions.filter((action) => action === 'keys.revoke')).toHaveLength(1)
  })

  test('a key that a page sent stays marked', async () => {
    await using store = await open()
    await store.keys.create(key)
    const lastUsed = new Map([['one', 5]])
    for (const sent of [['one', 'two'], []]) await store.data(USAGE).add([], lastUsed, new Set(sent))
    expect((await store.keys.list())[0]).toEqual({ ...key, lastUsedAt: 5, isSeenInBrowser: true })
    expect(await store.keys.find('two')).toBeUndefined()
  })

  test('a key can be replaced only once, even by concurrent calls', async () => {
    await using store = await open()
    await store.keys.create(key)
    const replaced = await Promise.all(['a', 'b', 'c'].map((id) => store.keys.replace('one', id, 5)))
    expect(replaced.filter(Boolean)).toHaveLength(1)
    expect((await store.keys.find('one'))?.successor).toBe('abc'[replaced.indexOf(true)] as string)
  })

  test('replacing a key never extends the time until it expires', async () => {
    await using store = await open()
    await store.keys.create(key)
    await store.keys.create({ ...key, id: 'two', expiresAt: 100 })
    expect(await store.keys.replace('one', 'new', 50)).toBe(true)
    expect(await store.keys.replace('two', 'newer', 50)).toBe(true)
    expect((await store.keys.find('one'))?.expiresAt).toBe(9)
    expect((await store.keys.find('two'))?.expiresAt).toBe(50)
    expect(await store.keys.replace('three', 'newest', 50)).toBe(false)
  })
})
