import { pause } from '../basics/jobs.ts'
import { VERSION } from '../basics/version.ts'
import { readConfig } from '../config/config.ts'
import { type Terminal, UsageError } from './command.ts'
import { shutdownSignal } from './shutdown-signal.ts'

/** The options of a client that is named `purpose` and ends with this process. */
export function createThrottleOptions(purpose: string, { env, now }: Terminal, option: string | undefined) {
  const key = (option ?? readConfig(env, {}).mirrorKey) || undefined
  if (key !== undefined && !/^[\x21-\x7e]*$/.test(key))
    throw new UsageError('The key must consist of visible ASCII characters.')
  const signal = shutdownSignal()
  return {
    key,
    userAgent: `passportd/${VERSION} (${purpose})`,
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    sleep: (milliseconds: number) => pause(milliseconds, signal),
    now,
    ticks: () => performance.now(),
    random: Math.random,
    signal,
  }
}
