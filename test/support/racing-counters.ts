import { createCounters } from '../../src/api/counters.ts'
import { NOON } from './records.ts'

declare const self: Worker

/** Runs in a thread: counts as fast as it can, and tells how many requests passed. */
self.onmessage = ({ data }: MessageEvent<{ memory: SharedArrayBuffer; turns: number; limit: number }>) => {
  const counters = createCounters(() => NOON, new Int32Array(data.memory))
  let passed = 0
  for (let turn = 0; turn < data.turns; turn++) {
    counters.take('free', 1_000_000, 3600).giveBack()
    if (counters.take('a', data.limit, 3600).left >= 0) passed++
  }
  postMessage(passed)
}
