import { count } from '../domain/text/format.ts'
import type { Log } from '../log.ts'

const EVERY_MILLISECONDS = 5000

/** Logs the progress of a long build of the index for filters. */
export function createIndexProgress(log: Pick<Log, 'info'>, now = () => performance.now()) {
  let begin: number | undefined
  let logged = 0

  return (read: number, total: number): void => {
    begin ??= logged = now()
    const wasLogged = logged > begin
    if (read === total) {
      const seconds = Math.round((now() - begin) / 1000)
      if (wasLogged) log.info(`The index for filters is ready: ${count(total, 'passport')} in ${seconds} s.`)
      begin = undefined
    } else if (now() >= logged + EVERY_MILLISECONDS) {
      logged = now()
      log.info(`Building the index for filters: ${Math.floor((100 * read) / total)} %.`)
    }
  }
}
