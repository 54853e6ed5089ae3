import { CommandError, isExpected } from '../../core/basics/errors.ts'
import { type Job, supervise } from '../../core/basics/jobs.ts'
import { formatDuration } from '../../core/basics/text/duration.ts'
import { describeSystemError } from '../../core/cli/system-error.ts'
import { counter, gauge } from '../../core/http/prometheus-text.ts'
import { openStore } from '../../core/store/open.ts'
import { IDENTITY } from '../../core/store/sql/settings.ts'
import { threadLog as log, postToMain, type StartMessage } from '../../core/threads/messages.ts'
import { writeDueBackup } from './scheduled-backup.ts'

/** How often the thread looks whether a backup is due, and how long it waits after a failure. */
const CHECK_MILLISECONDS = 10_000
const RETRY_MILLISECONDS = 300_000

declare const self: Worker

/**
 * Writes scheduled backups. They have their own thread, because SQLite blocks the event loop while it copies and
 * checks.
 */
self.onmessage = ({ data: { config } }: MessageEvent<StartMessage>) => {
  const { database, backups } = config
  if (database.engine !== 'sqlite' || !backups) return
  const { path } = database
  const { folder, every, keep } = backups
  let id: string | undefined
  let [newest, failures, hasFailed] = [0, 0, false]
  const job: Job = {
    name: 'The scheduled backup failed',
    interval: () => Math.min(every, hasFailed ? RETRY_MILLISECONDS : CHECK_MILLISECONDS),
    async run() {
      id ??= await findId(path)
      const result = explainSystemErrors(() =>
        writeDueBackup(path, id as string, { ...backups, now: Date.now }),
      )
      newest = result.newest
      hasFailed = false
      if (result.written) log.info('A backup was written.', result.written)
      sendMetrics(newest, every, failures)
    },
  }
  const onError = () => {
    hasFailed = true
    failures++
    sendMetrics(newest, every, failures)
  }
  log.info(`Every ${formatDuration(every)} a backup is written to ${folder}. The last ${keep} are kept.`)
  // The main thread ends this thread.
  void supervise([job], { log, signal: new AbortController().signal, onError })
}

/**
 * A folder that cannot be written is no bug, so the log needs no stack, and no restart either, so it is logged at once.
 */
function explainSystemErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const sentence = isExpected(error) ? error.message : describeSystemError(error)
    throw sentence === undefined ? error : new CommandError(sentence)
  }
}

/** The start of the service creates the id of the database, unless the disk is full. */
async function findId(path: string): Promise<string> {
  await using store = await openStore({ engine: 'sqlite', path }, { migrate: false })
  return (await store.data(IDENTITY).find()) ?? (await store.data(IDENTITY).create(crypto.randomUUID()))
}

function sendMetrics(newest: number, every: number, failures: number): void {
  const success = 'Time of the newest scheduled backup; 0 if there is none.'
  const families = [
    gauge('passportd_backup_last_success_timestamp_seconds', success, newest / 1000),
    gauge('passportd_backup_interval_seconds', 'Time between scheduled backups.', every / 1000),
    counter('passportd_backup_failures_total', 'Failed attempts to write a scheduled backup.', failures),
  ]
  postToMain({ kind: 'metrics', families })
}
