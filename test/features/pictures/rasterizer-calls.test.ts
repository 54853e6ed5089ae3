import { describe, expect, test } from 'bun:test'
import {
  createRasterizerClient,
  createRasterizerServer,
} from '../../../src/features/pictures/rasterizer-calls.ts'
import { ClientGone, expectRefusal } from '../../support/program/errors.ts'

describe('the picture thread', () => {
  const connect = (draw: (svg: string) => Uint8Array<ArrayBuffer>) => {
    const { port1, port2 } = new MessageChannel()
    createRasterizerServer(async () => draw).connect(port1)
    const client = createRasterizerClient({ waiting: 16, milliseconds: 60_000 })
    client.connect(port2)
    return client
  }

  test('refuses further pictures while 16 are queued', async () => {
    const client = connect(() => new Uint8Array(1))
    const all = await Promise.allSettled(Array.from({ length: 30 }, (_, at) => client.rasterize('a', at)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(16)
    expect(all.at(-1)).toMatchObject({ reason: { code: 'overloaded' } })
    expect(await client.rasterize('later', 10)).toEqual(new Uint8Array(1))
  })

  test('does not draw the picture of a client that has disconnected', async () => {
    const drawn: string[] = []
    const controller = new AbortController()
    const { signal } = controller
    const client = connect((svg) => {
      if (svg === 'a') controller.abort()
      return new Uint8Array(drawn.push(svg))
    })
    const [one, gone, other] = ['a', 'b', 'c'].map((svg) =>
      client.rasterize(svg, 10, svg === 'b' ? signal : undefined),
    )
    await expect(gone).rejects.toThrow(ClientGone)
    await expect(client.rasterize('d', 10, signal)).rejects.toThrow(ClientGone)
    await Promise.all([one, other])
    expect(drawn).toEqual(['a', 'c'])
  })

  test('reports a failed drawing with its stack, and continues', async () => {
    const client = connect(function drawBadly(svg) {
      if (svg === 'bad') throw new Error('malformed')
      return new Uint8Array(1)
    })
    const error = await client.rasterize('bad', 10).catch((failure) => failure)
    expect([error.message, error.stack]).toEqual(['malformed', expect.stringContaining('drawBadly')])
    expect(await client.rasterize('good', 10)).toEqual(new Uint8Array(1))
  })

  test('a picture is rejected as overloaded if it is queued too long', async () => {
    const client = createRasterizerClient({ waiting: 1, milliseconds: 1 })
    client.connect(new MessageChannel().port2)
    await expectRefusal(client.rasterize('a', 10), 'overloaded')
  })
})
