/** A thread that reads from a store without a pause, as a busy server does. */

import { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'

declare const self: Worker

self.onmessage = async ({ data: path }) => {
  const store = await openSqlite(path)
  for (let id = 1; ; id++) {
    await store.passports.find({ id })
    if (id === 1) self.postMessage('reads')
    if (id % 10 === 0) await new Promise(setImmediate)
  }
}
