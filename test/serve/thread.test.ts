import { expect, test } from 'bun:test'
import type { ToThread } from '../../src/core/threads/messages.ts'
import { startThread } from '../../src/core/threads/thread.ts'
import { createLog } from '../support/program/log.ts'
import { until } from '../support/wait-until.ts'

/** Only the thread of this test knows this message. */
const THROW = { kind: 'throw' } as unknown as ToThread

const NAME = 'failing-thread'

/** A thread that echoes 'started' each time it starts, and throws at once if `fails()`. */
function startFailing(fails: () => boolean) {
  const messages: string[] = []
  const starts: number[] = []
  const log = createLog({
    write: (line) => void messages.push(JSON.parse(line).message),
    json: true,
    now: () => 0,
  })
  const ended: Worker[] = []
  const thread = startThread({
    name: NAME,
    file: '../test/support/threads/failing-thread.ts',
    log,
    onStart({ post }) {
      starts.push(performance.now())
      post(fails() ? THROW : { kind: 'started' })
    },
    onMessage: ({ kind }) => void messages.push(kind),
    onEnd: (worker) => void ended.push(worker),
  })
  return { ...thread, messages, starts, ended }
}

test('a thread that throws at every start is restarted with exponential backoff', async () => {
  let times = 0
  const thread = startFailing(() => ++times <= 4)
  await until(() => thread.messages.includes('started'))
  const endings = thread.messages.filter((message) => message.includes('ended'))
  expect(endings.map((message) => message.split('restarting it ')[1])).toEqual([
    'now.',
    'in 0.1 s.',
    'in 0.2 s.',
    'in 0.4 s.',
  ])
  const pauses = thread.starts.slice(1).map((time, at) => time - (thread.starts[at] as number))
  for (const [at, least] of [0, 100, 200, 400].entries()) expect(pauses[at]).toBeGreaterThanOrEqual(least)
  await thread.stop()
})

test('a thread that is stopped is not restarted', async () => {
  const thread = startFailing(() => false)
  await until(() => thread.messages.includes('started'))
  await thread.stop()
  await until(() => thread.ended.length === 1)
  expect(thread.messages).toEqual(['started'])
  expect(thread.starts).toHaveLength(1)
})
