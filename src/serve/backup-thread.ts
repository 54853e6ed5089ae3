import type { Family } from '../api/prometheus-text.ts'
import { supervise } from './jobs/supervise.ts'
import { writeBackups } from './jobs/write-backups.ts'
import { threadLog as log, type StartMessage, send } from './messages.ts'

declare const self: Worker

/** Writes scheduled backups. They have their own thread, because SQLite blocks the event loop while it copies and checks. */
self.onmessage = ({ data: { config } }: MessageEvent<StartMessage>) => {
  const { database, backups: schedule } = config
  if (database.engine !== 'sqlite' || !schedule) return
  const onMetrics = (families: Family[]) => send({ kind: 'metrics', families })
  const job = writeBackups(database.path, { schedule, log, now: Date.now, onMetrics })
  // supervise() logs errors. The main thread ends this thread.
  void supervise([job], { log, signal: new AbortController().signal, onError: () => undefined })
}
