/** Preloaded: on SIGUSR2, the newest thread whose script is named in the file CRASH throws an error. */
import { readFileSync } from 'node:fs'
import { preloadThreads } from './preload-threads.ts'

const workers: { worker: Worker; url: string }[] = []

if (Bun.isMainThread) {
  preloadThreads(import.meta.path, (worker, url) => workers.unshift({ worker, url }))
  process.on('SIGUSR2', () => {
    const name = readFileSync(process.env.CRASH as string, 'utf8')
    workers.find(({ url }) => url.includes(`/${name}`))?.worker.postMessage('crash')
  })
} else {
  addEventListener('message', ({ data }) => {
    if (data === 'crash') throw new Error('Intended crash')
  })
}
