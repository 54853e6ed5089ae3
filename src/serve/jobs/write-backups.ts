import { counter, type Family, gauge } from '../../api/prometheus-text.ts'
import { formatDuration } from '../../domain/text/duration.ts'
import type { Log } from '../../log.ts'
import { openStore, SERVE_TIMEOUT } from '../../store/open.ts'
import { type BackupSchedule, createScheduledBackups } from '../../store/sqlite/scheduled-backup.ts'
import type { Job } from './supervise.ts'

/** How often the job looks whether a backup is due, and how long it waits after a failure. */
const CHECK_MILLISECONDS = 10_000
const RETRY_MILLISECONDS = 300_000

type Options = {
  schedule: BackupSchedule
  log: Log
  now: () => number
  onMetrics: (families: Family[]) => void
}

/** Writes a backup of the SQLite file whenever one is due. A run blocks its thread until the backup is checked. */
export function writeBackups(path: string, { schedule, log, now, onMetrics }: Options): Job {
  const { folder, every, keep } = schedule
  let backups: ReturnType<typeof createScheduledBackups> | undefined
  let [newest, failures, hasFailed] = [0, 0, false]
  log.info(`Every ${formatDuration(every)} a backup is written to ${folder}. The last ${keep} are kept.`)

  async function writeDue(): Promise<void> {
    backups ??= createScheduledBackups(path, await findId(path), { ...schedule, now })
    const begin = now()
    const written = backups.writeDue()
    if (written) log.info('A backup was written.', { ...written, milliseconds: now() - begin })
    newest = backups.newest()
  }

  return {
    name: 'The scheduled backup failed',
    interval: () => Math.min(every, hasFailed ? RETRY_MILLISECONDS : CHECK_MILLISECONDS),
    async run() {
      hasFailed = true
      try {
        await writeDue()
        hasFailed = false
      } finally {
        if (hasFailed) failures++
        onMetrics(present(newest, every, failures))
      }
    },
  }
}

/** The start of the service creates the id of the database, unless the disk is full. */
async function findId(path: string): Promise<string> {
  await using store = await openStore({ engine: 'sqlite', path }, { ...SERVE_TIMEOUT, migrate: false })
  const known = await store.identity.find()
  if (known !== undefined) return known
  await store.identity.create(crypto.randomUUID())
  return (await store.identity.find()) ?? ''
}

const present = (newest: number, every: number, failures: number): Family[] => [
  gauge(
    'passportd_backup_last_success_timestamp_seconds',
    'Time of the newest scheduled backup; 0 if there is none.',
    newest / 1000,
  ),
  gauge('passportd_backup_interval_seconds', 'Time between scheduled backups.', every / 1000),
  counter('passportd_backup_failures_total', 'Failed attempts to write a scheduled backup.', failures),
]
