import { edenGC } from 'bun:jsc'

const MILLISECONDS = 100

/** Less than this of those is no load that leaves much behind. */
const BUSY_MICROSECONDS = 20_000

/**
 * Under load, clears away ten times a second what requests left behind: a millisecond each time. The engine would wait until
 * it is some 40 MB, and where all cores are busy it comes late even then.
 */
export function clearYoungWaste(): Timer {
  let before = process.cpuUsage()
  return setInterval(() => {
    const now = process.cpuUsage()
    const used = now.user + now.system - before.user - before.system
    before = now
    if (used >= BUSY_MICROSECONDS) edenGC()
  }, MILLISECONDS)
}
