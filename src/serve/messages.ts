import type { Family } from '../api/prometheus.ts'
import type { UsageReport } from '../api/usage.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config.ts'
import type { Fields, Log } from '../log.ts'

/** Only the main thread writes the log. */
export type LogMessage = { kind: 'log'; level: keyof Log; message: string; fields?: Fields | undefined }

/** This month's requests by key id, as stored on a day. */
type MonthMessage = { kind: 'month'; day: string; sums: ReadonlyMap<string, number> }

type SnapshotMessage = { kind: 'snapshot'; snapshot: Snapshot }

type UsageMessage = { kind: 'usage' } & UsageReport

export type ToServer =
  | {
      kind: 'start'
      config: Config
      /** Rate-limit counters, shared by all server threads. */
      windows: Int32Array<SharedArrayBuffer>
      snapshot: Snapshot
    }
  /** The port of the search thread; sent again after it was restarted. */
  | { kind: 'search'; port: MessagePort }
  /** The port of the picture thread; sent again after it was restarted. */
  | { kind: 'pictures'; port: MessagePort }
  | SnapshotMessage
  | MonthMessage
  | { kind: 'renew-tls' }
  | { kind: 'stop' }

export type FromServer =
  | LogMessage
  | UsageMessage
  | { kind: 'listening'; port: number; url: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }
  | { kind: 'stopped' }

export type ToBackground =
  | { kind: 'start'; config: Config }
  /** Sent when all servers listen: scoring must not delay the start. */
  | { kind: 'score' }
  | UsageMessage
  | { kind: 'stop' }

export type FromBackground =
  | LogMessage
  | SnapshotMessage
  | MonthMessage
  /** The snapshot is up to date. */
  | { kind: 'checked' }
  | { kind: 'stopped' }

export type ToSearch =
  | { kind: 'start'; config: Config }
  | SnapshotMessage
  | { kind: 'connect'; port: MessagePort }
  | { kind: 'stop' }

export type FromSearch = { kind: 'stopped' }

export type ToPictures = { kind: 'connect'; port: MessagePort } | { kind: 'stop' }

export type FromPictures = { kind: 'stopped' }

export function createThreadLog(send: (message: LogMessage) => void): Log {
  const entry =
    (level: keyof Log) =>
    (message: string, fields?: Fields): void =>
      send({ kind: 'log', level, message, fields })
  return { info: entry('info'), warn: entry('warn'), error: entry('error') }
}
