import { expect, test } from 'bun:test'
import { serveTest } from '../../support/http/server.ts'
import { everyResponse } from '../../support/mirror/every-response.ts'
import { copy, FEW, NONE, ofPassports, serveSource } from '../../support/mirror/mirror.ts'
import { onEveryEngine } from '../../support/store/engines.ts'

onEveryEngine('a mirror of V2', (open) => {
  test('this service can be copied through V1 or V2, and a run with the other version requests every passport again', async () => {
    await using source = await serveSource(FEW, {}, serveTest)
    await using target = await open()
    const paths: string[] = []
    const run = (version: 1 | 2) =>
      copy(target, source.url, {
        version,
        fetch(url, init) {
          paths.push(new URL(url).pathname)
          return fetch(url, init)
        },
      })
    expect((await run(2)).report).toEqual({ ...NONE, copied: 5 })
    expect(await everyResponse(target)).toEqual(await everyResponse(source.store))
    expect(paths.filter((path) => !path.startsWith('/api/v2/'))).toEqual([])
    source.seen.length = 0
    expect((await run(2)).report).toEqual({ ...NONE, unchanged: 5 })
    expect(ofPassports(source.seen).map(({ status }) => status)).toEqual(Array(10).fill(304))
    // A run with the other version sends no ETags, because a source can use the same ETag in both.
    for (const version of [1, 2] as const) {
      source.seen.length = 0
      const { copied, unchanged } = (await run(version)).report
      expect(copied + unchanged).toBe(5)
      expect(ofPassports(source.seen).map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
  })
})
