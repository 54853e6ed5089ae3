import { expect, test } from 'bun:test'
import { createPage, createPageCache, type RenderedPage } from '../../../src/core/http/rendered-page.ts'
import { snapshotOf } from '../../support/store/catalog.ts'

const SNAPSHOT = await snapshotOf([])

function caching() {
  const cache = createPageCache()
  const rendered: string[] = []
  const get = (key: string, { snapshot = SNAPSHOT } = {}) =>
    cache.get(snapshot, key, () => {
      rendered.push(key)
      return createPage(key.repeat(5), {})
    })
  return { cache, get, rendered }
}

test('a page is rendered once while the snapshot stays the same, and another snapshot clears the cache', async () => {
  const { get, rendered } = caching()
  expect(await get('a')).toBe(await get('a'))
  expect((await get('b')).body).toBe('bbbbb')
  expect(rendered).toEqual(['a', 'b'])
  await get('a', { snapshot: { ...SNAPSHOT } })
  await get('a')
  expect(rendered).toEqual(['a', 'b', 'a', 'a'])
})

test('a page that was rendered while the snapshot changed is not cached', async () => {
  const { cache, get, rendered } = caching()
  const { promise, resolve } = Promise.withResolvers<RenderedPage>()
  const snapshot = { ...SNAPSHOT }
  const late = cache.get(SNAPSHOT, 'a', () => promise)
  await get('b', { snapshot })
  resolve(createPage('old', {}))
  expect((await late).body).toBe('old')
  expect((await get('a', { snapshot })).body).toBe('aaaaa')
  expect((await get('b', { snapshot })).body).toBe('bbbbb')
  expect(rendered).toEqual(['b', 'a'])
})

test('a page with an error is not cached', async () => {
  const { cache } = caching()
  const statuses = [503, 404, 200, 500]
  const get = async () => (await cache.get(SNAPSHOT, 'a', () => createPage('', {}, statuses.shift()))).status
  expect([await get(), await get(), await get(), await get()]).toEqual([503, 404, 200, 200])
})
