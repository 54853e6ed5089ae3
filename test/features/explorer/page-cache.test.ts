import { expect, test } from 'bun:test'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { credential, named } from '../../support/store/records.ts'

/** A server that counts how often it renders pages and pictures. */
async function serveCounted() {
  const credentials = Array.from({ length: 3 }, (_, at) => credential(`${at}`))
  const counted = { rendered: 0 }
  function count<T>(result: T): T {
    counted.rendered++
    return result
  }
  const server = await servePeople([{ ...named(1, 'Ada', 1), credentials }, named(2, 'Grace', 2)], {
    replace: ({ call }) => ({ call: (...request) => count(call(...request)) }),
    rasterize: () => count(Promise.resolve(new Uint8Array(4))),
  })
  return { ...server, counted }
}

test.each([
  ['/', ['/?x=1', '/?', '/?utm_source=a&page=1', '/?page=1&page=7', '/?sort=-score&q=+', '/?filter=']],
  ['/?page=1', ['/?page=01', '/']],
  ['/?q=ada', ['/?q=ada&x=1', '/?x=1&q=+ada+&filter=']],
  ['/card/1.png', ['/card/1.png?x=1', '/card/1.png?theme=dark']],
  ['/card/site.png', ['/card/site.png?x=1']],
  ['/badge/1.svg?show=top', ['/badge/1.svg?show=top&x=1', '/badge/1.svg?style=none&show=top&theme=red']],
])('%s is rendered once, even if later requests add unknown or default parameters', async (target, same) => {
  await using server = await serveCounted()
  const first = await server.look(target)
  expect(first.status).toBe(200)
  const { rendered } = server.counted
  expect(rendered).toBeGreaterThan(0)
  for (const each of same) expect([each, (await server.look(each)).text]).toEqual([each, first.text])
  expect(server.counted.rendered).toBe(rendered)
})

test('the same page with other parameter values is cached separately', async () => {
  await using server = await serveCounted()
  for (const targets of [
    ['/', '/?sort=-skills_score', '/?filter=human:true', '/?filter=human:false'],
    ['/badge/1.svg', '/badge/1.svg?theme=dark', '/badge/1.svg?show=level'],
  ]) {
    const texts = await Promise.all(targets.map(async (target) => (await server.look(target)).text))
    expect(new Set(texts).size).toBe(targets.length)
  }
  expect((await server.look('/passports/1/credentials')).status).toBe(200)
  expect((await server.look('/passports/1/credentials?page=2')).status).toBe(404)
})
