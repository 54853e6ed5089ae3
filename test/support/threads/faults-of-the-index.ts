/**
 * Preloaded by a service: on SIGUSR2, the newest index thread does what the file FAULT says: "crash" throws an error, and with
 * "hour" its clock advances by an hour.
 */
import { readFileSync } from 'node:fs'

if (Bun.isMainThread) {
  const Original = globalThis.Worker
  let newest: Worker | undefined
  globalThis.Worker = class extends Original {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, { ...options, preload: [import.meta.path] })
      if (String(url).includes('/index-thread')) newest = this
    }
  }
  process.on('SIGUSR2', () => newest?.postMessage(readFileSync(process.env.FAULT ?? '', 'utf8')))
} else {
  let advanced = 0
  const now = performance.now.bind(performance)
  performance.now = () => now() + advanced
  addEventListener('message', ({ data }) => {
    if (data === 'crash') throw new Error('Intended crash')
    if (data === 'hour') advanced = 3_600_000
  })
}
