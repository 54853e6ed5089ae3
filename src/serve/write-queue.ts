import type { UsageReport } from '../api/usage.ts'
import type { Awaitable } from '../store/store.ts'
import { createCaller, createQueue, receiveCalls } from '../thread-calls.ts'

/** A write that a server thread asks the writer thread for. */
export type Write = { kind: 'usage'; report: UsageReport }

/** The most writes of one server thread that may wait for an answer. Further writes are rejected as `overloaded`. */
const MOST_WAITING = 1000

export const createWriteClient = (mostWaiting = MOST_WAITING) =>
  createCaller<Write, void>({ ended: 'The writer thread ended.', mostWaiting })

export function createWriteQueue(write: (call: Write) => Awaitable<void>) {
  const enqueue = createQueue<Write, void>(write)
  return { connect: (port: MessagePort) => receiveCalls(port, enqueue) }
}
