import { expect, test } from 'bun:test'
import { createPage, createPageCache, type RenderedPage } from '../../../src/core/http/rendered-page.ts'

function caching() {
  const cache = createPageCache()
  const rendered: string[] = []
  const get = (key: string, { version = 1 } = {}) =>
    cache.get(version, key, () => {
      rendered.push(key)
      return createPage(key.repeat(5), {})
    })
  return { cache, get, rendered }
}

test('a page that was rendered while the version changed is not cached', async () => {
  const { cache, get, rendered } = caching()
  const { promise, resolve } = Promise.withResolvers<RenderedPage>()
  const late = cache.get(1, 'a', () => promise)
  await get('b', { version: 2 })
  resolve(createPage('old', {}))
  expect((await late).body).toBe('old')
  expect((await get('a', { version: 2 })).body).toBe('aaaaa')
  expect((await get('b', { version: 2 })).body).toBe('bbbbb')
  expect(rendered).toEqual(['b', 'a'])
})

test('a page with an error is not cached', async () => {
  const { cache } = caching()
  const statuses = [503, 404, 200, 500]
  const get = async () => (await cache.get(1, 'a', () => createPage('', {}, statuses.shift()))).status
  expect([await get(), await get(), await get(), await get()]).toEqual([503, 404, 200, 200])
})
