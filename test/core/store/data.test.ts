import { expect, test } from 'bun:test'
import type { Database } from '../../../src/core/store/sql/connection.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { createWriteAnswer, defineData, sendWrites, type WriteCall } from '../../support/store/open.ts'

/** The statements of an invented feature. */
const openNotes = ({ read, write }: Database) => ({
  add: async (name: string, text: string) => {
    await write('insert into settings (name, value) values ($1, $2)', [name, text])
    return text.length
  },
  find: async (name: string) =>
    (await read.query<{ value: string }>('select value from settings where name = $1', [name]))[0]?.value,
  each: async (_visit: (text: string) => void) => 1,
})

const NOTES = defineData({
  name: 'notes',
  open: openNotes,
  writes: ['add'],
  isUrgent: true,
})

onEveryEngine('data of a feature', (open) => {
  test('a write runs where it is sent to, as a copy of its arguments, and a read runs here', async () => {
    await using store = await open()
    const answer = createWriteAnswer([NOTES], store.data)
    const sent: unknown[] = []
    const data = sendWrites(store.data, (call, options) => {
      sent.push([call, options.isUrgent, options.signal?.aborted])
      return answer(structuredClone(call))
    })
    const length: Promise<number> = data(NOTES).add('colour', 'green')
    expect(await length).toBe(5)
    expect(await data(NOTES).find('colour')).toBe('green')
    const { signal } = new AbortController()
    await data(NOTES, { signal }).add('size', 'small')
    const [colour, size]: WriteCall[] = ['colour green', 'size small'].map((args) => ({
      data: 'notes',
      method: 'add',
      args: args.split(' '),
    }))
    expect(sent).toEqual([
      [colour, true, undefined],
      [size, true, false],
    ])
  })

  test('only declared writes of known features can be sent', async () => {
    await using store = await open()
    const answer = createWriteAnswer([NOTES], store.data)
    for (const [data, method] of [
      ['notes', 'find'],
      ['notes', 'constructor'],
      ['other', 'add'],
    ] as const)
      await expect(answer({ data, method, args: ['colour'] })).rejects.toThrow(`write ${data}.${method}`)
  })
})

/** Never called: it must compile, except the lines after `@ts-expect-error`. */
export function checkTypes(data: Parameters<typeof sendWrites>[0]) {
  // @ts-expect-error: an argument of a wrong type
  void data(NOTES).add('colour', 1)
  // @ts-expect-error: no such statement
  void data(NOTES).remove('colour')
  const some = { name: 'some', open: openNotes }
  // @ts-expect-error: a function cannot be sent to another thread
  defineData({ ...some, writes: ['each'] })
  // @ts-expect-error: no such write
  defineData({ ...some, writes: ['ad'] })
}
