import type { Config } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { findDamage } from '../store/open.ts'
import { type Damage, setDamaged } from './damage.ts'
import { createThreadLog, type FromCheck, type ToCheck } from './messages.ts'

declare const self: Worker

const send = (message: FromCheck) => postMessage(message)
const log = createThreadLog(send)

self.onmessage = ({ data }: MessageEvent<ToCheck>) => check(data.config, data.damage)

/** Reads the whole database file once. A thread of its own, because SQLite blocks the event loop. */
function check({ database }: Config, damage: Damage): void {
  try {
    const problems = findDamage(database)
    if (problems.length > 0) {
      setDamaged(damage)
      log.error(
        `The database file is damaged: ${problems.join('; ')}. Stop the service, keep a copy, and restore a backup.`,
      )
    }
  } catch (error) {
    log.error(`The database file could not be checked: ${describeError(error)}`)
  }
  send({ kind: 'checked' })
}
