/** A thread that reads from a store without a pause, as a busy server does. */

import { openSqlite } from '../../../src/core/store/database/sqlite/open.ts'
import { V1_BODIES } from '../store/open.ts'

declare const self: Worker

self.onmessage = async ({ data: path }) => {
  const store = await openSqlite(path)
  for (let id = 1; ; id++) {
    await store.data(V1_BODIES).findPassport({ id })
    if (id === 1) self.postMessage('reads')
    if (id % 10 === 0) await new Promise(setImmediate)
  }
}
