import { expect, test } from 'bun:test'
import { file } from '../../src/explorer/page.ts'
import { createSharedPages } from '../../src/explorer/shared-pages.ts'

function pages() {
  const clock = { time: 100 }
  let made = 0
  const render = createSharedPages(() => clock.time)(async ({ path, query }) => {
    if (path === '/bad') throw new Error('bad')
    return file('text/plain', `${++made} ${path} ${query}`, [])
  })
  const ask = async (path: string, search = '', origin = 'http://a') =>
    (await render({ path, query: new URLSearchParams(search), origin })).body
  return { clock, ask }
}

test('requests for the same page that come together share it', async () => {
  const { ask } = pages()
  expect(await Promise.all([ask('/x'), ask('/x'), ask('/x')])).toEqual(['1 /x ', '1 /x ', '1 /x '])
})

test('another path, query or host is another page', async () => {
  const { ask } = pages()
  expect([await ask('/x'), await ask('/y'), await ask('/x', 'q=1'), await ask('/x', '', 'http://b')]).toEqual(
    ['1 /x ', '2 /y ', '3 /x q=1', '4 /x '],
  )
})

test('a page is made anew after five milliseconds, however often it is asked for', async () => {
  const { clock, ask } = pages()
  const seen = []
  for (let turn = 0; turn < 12; turn++) {
    seen.push((await ask('/x')).split(' ')[0])
    clock.time += 1
  }
  expect(seen).toEqual(['1', '1', '1', '1', '1', '2', '2', '2', '2', '2', '3', '3'])
})

test('what fails for one fails for those who came with it, and not for the next', async () => {
  const { clock, ask } = pages()
  const results = await Promise.allSettled([ask('/bad'), ask('/bad'), ask('/x')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  clock.time += 5
  expect(await ask('/x')).toBe('2 /x ')
})
