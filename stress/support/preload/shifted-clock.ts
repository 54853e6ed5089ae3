/** Preloaded: Date.now is off by the milliseconds in the file that CLOCK names, in every thread. */
import { readFileSync } from 'node:fs'
import { preloadThreads } from './preload-threads.ts'

const realNow = Date.now
Date.now = () => realNow() + Number(readFileSync(process.env.CLOCK as string, 'utf8'))

preloadThreads(import.meta.path)
