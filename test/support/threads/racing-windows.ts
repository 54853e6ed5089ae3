import { createFixedWindow } from '../../../src/core/basics/fixed-window.ts'
import { NOON } from '../store/records.ts'

declare const self: Worker

/** Runs in a thread. Counts requests as fast as possible, and reports how many were within the limit. */
self.onmessage = ({ data }: MessageEvent<{ memory: Int32Array; turns: number; limit: number }>) => {
  const counters = createFixedWindow(() => NOON, data.memory)
  let passed = 0
  for (let turn = 0; turn < data.turns; turn++) {
    counters.consume('free', 1_000_000, 3600).refund()
    if (counters.consume('a', data.limit, 3600).remaining >= 0) passed++
  }
  postMessage(passed)
}
