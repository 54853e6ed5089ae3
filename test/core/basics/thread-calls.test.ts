import { expect, test } from 'bun:test'
import { createCaller } from '../../../src/core/basics/thread-calls.ts'

test('calls that wait for a thread that ends are refused as unavailable, and the next thread gets later calls', async () => {
  const { connect, send } = createCaller<string, string>('The writer thread ended.', 2)
  const connectThread = () => {
    const { port1, port2 } = new MessageChannel()
    connect(port1)
    return port2
  }
  const refusal = { code: 'unavailable', message: 'The writer thread ended.' }
  await expect(send('before any thread')).rejects.toMatchObject(refusal)
  const ending = connectThread()
  const waiting = send('first')
  const next = connectThread()
  await expect(waiting).rejects.toMatchObject(refusal)
  next.onmessage = ({ data }) => next.postMessage({ id: data.id, answer: `answer to ${data.call}` })
  expect(await send('second')).toBe('answer to second')
  for (const port of [ending, next]) port.close()
})
