import type { UsageReport } from '../api/usage.ts'
import type { Awaitable } from '../store/store.ts'
import { createCaller, type Received, receiveCalls } from '../thread-calls.ts'

/** A write that a server thread asks the writer thread for. */
export type Write = { kind: 'usage'; report: UsageReport }

/** Writes of one server thread that wait for an answer. Further ones are rejected as `overloaded`. */
const MOST_WAITING = 1000

export const createWriteClient = (mostWaiting = MOST_WAITING) =>
  createCaller<Write, void>({ ended: 'The writer thread ended.', mostWaiting })

/** Runs the writes of all server threads one at a time, first in, first out. */
export function createWriteQueue(write: (call: Write) => Awaitable<void>) {
  let last = Promise.resolve()

  async function run({ call, isCancelled, answer, fail }: Received<Write, void>): Promise<void> {
    if (isCancelled) return
    try {
      answer(await write(call))
    } catch (error) {
      fail(error)
    }
  }

  return {
    connect: (port: MessagePort) =>
      receiveCalls<Write, void>(port, (received) => {
        last = last.then(() => run(received))
      }),
  }
}
