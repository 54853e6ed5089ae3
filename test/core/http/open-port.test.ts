import { expect, test } from 'bun:test'
import { openPort } from '../../../src/core/http/open-port.ts'
import { takePort } from '../../support/cli.ts'

const names = { host: 'HOST', port: 'PORT' }

const listenOn = (port: number) => () =>
  Bun.serve({ hostname: '127.0.0.1', port, reusePort: false, fetch: () => new Response('ok') })

test('a port that becomes free within two seconds is opened', async () => {
  await using taken = takePort()
  const { port } = taken
  // The first attempt runs before `openPort` returns.
  const opening = openPort({ host: '127.0.0.1', port, names }, listenOn(port))
  await taken[Symbol.asyncDispose]()
  const server = await opening
  expect(await (await fetch(server.url)).text()).toBe('ok')
  await server.stop(true)
})

test('opening a port fails if the port stays in use, or if the address cannot be used', async () => {
  await using taken = takePort()
  const { port } = taken
  await expect(openPort({ host: '127.0.0.1', port, names }, listenOn(port))).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use. Set PORT to another port.`,
  )
  let attempts = 0
  const refuse = () => {
    attempts++
    throw Object.assign(new Error('permission denied'), { code: 'EACCES' })
  }
  await expect(openPort({ host: '127.0.0.1', port: 80, names }, refuse)).rejects.toThrow('permission denied')
  expect(attempts).toBe(1)
})
