/** A thread that reads from a store without a pause. It answers each message after its next ten reads. */
import { openSqlite } from '../../../src/store/sqlite/open.ts'

declare const self: Worker

let messages = 0
let isReading = false

self.onmessage = async ({ data: path }) => {
  messages++
  if (isReading) return
  isReading = true
  const store = openSqlite(path)
  for (let id = 1; ; id++) {
    await store.passports.find({ id })
    if (id % 10 !== 0) continue
    for (; messages > 0; messages--) self.postMessage('reads')
    await new Promise(setImmediate)
  }
}
