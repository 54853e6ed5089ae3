import { describeError } from '../core/basics/errors.ts'
import { setDamaged } from '../core/store/damage.ts'
import { findDamage } from '../core/store/open.ts'
import { threadLog as log, postToMain, type StartMessage } from '../core/threads/messages.ts'

declare const self: Worker

/** Reads the whole database file once. The check has its own thread, because SQLite blocks the event loop. */
self.onmessage = ({ data: { config, damage } }: MessageEvent<StartMessage>) => {
  try {
    const problems = findDamage(config.database)
    if (problems.length > 0) {
      setDamaged(damage)
      log.error(
        `The database file is damaged: ${problems.join('; ')}. Stop the service, keep a copy, and restore a backup.`,
      )
    }
  } catch (error) {
    log.error(`The database file could not be checked: ${describeError(error)}`)
  }
  postToMain({ kind: 'checked' })
}
