import type { Family } from '../api/prometheus.ts'
import type { UsageReport } from '../api/usage.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config.ts'
import type { Fields, Log } from '../log.ts'

/** Threads do not write the log themselves: the main thread does. */
export type LogMessage = { kind: 'log'; level: keyof Log; message: string; fields?: Fields | undefined }

/** This month's requests by key, as they were stored on a day. */
export type MonthMessage = { kind: 'month'; day: string; sums: ReadonlyMap<string, number> }

export type SnapshotMessage = { kind: 'snapshot'; snapshot: Snapshot }

export type UsageMessage = { kind: 'usage' } & UsageReport

export type ToServer =
  | {
      kind: 'start'
      config: Config
      /** Rate-limit counters, shared by all server threads. */
      windows: Int32Array<SharedArrayBuffer>
      snapshot: Snapshot
    }
  /** The way to the search thread; another one when that was restarted. */
  | { kind: 'search'; port: MessagePort }
  | SnapshotMessage
  | MonthMessage
  | { kind: 'renew-tls' }
  | { kind: 'stop' }

export type FromServer =
  | LogMessage
  | UsageMessage
  | { kind: 'listening'; port: number; url: string }
  /** It cannot be started. */
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }
  | { kind: 'stopped' }

export type ToBackground =
  | { kind: 'start'; config: Config }
  /** Scoring begins once the service can be used. */
  | { kind: 'score' }
  | UsageMessage
  | { kind: 'stop' }

export type FromBackground = LogMessage | SnapshotMessage | MonthMessage | { kind: 'stopped' }

export type ToSearch = SnapshotMessage | { kind: 'connect'; port: MessagePort }

/** A log whose entries are sent to the main thread. */
export function createThreadLog(send: (message: LogMessage) => void): Log {
  const entry =
    (level: keyof Log) =>
    (message: string, fields?: Fields): void =>
      send({ kind: 'log', level, message, fields })
  return { info: entry('info'), warn: entry('warn'), error: entry('error') }
}
