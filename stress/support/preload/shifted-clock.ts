/** Preloaded: adds the milliseconds in the file CLOCK to Date.now, in every thread. */
import { readFileSync } from 'node:fs'
import { preloadThreads } from './preload-threads.ts'

const realNow = Date.now
Date.now = () => realNow() + Number(readFileSync(process.env.CLOCK as string, 'utf8'))

preloadThreads(import.meta.path)
