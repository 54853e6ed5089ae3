import type { Family } from '../api/prometheus.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Config } from '../config/config.ts'
import type { Fields, Log } from '../log.ts'
import type { Damage } from './damage.ts'

/** Only the main thread writes the log. */
type LogMessage = { kind: 'log'; level: keyof Log; message: string; fields?: Fields | undefined }

/** This month's requests by key id, as stored on a day. */
type MonthMessage = { kind: 'month'; day: string; sums: ReadonlyMap<string, number> }

/** Every thread responds to `stop` with `stopped`. */
export type FromThread = LogMessage | { kind: 'stopped' }

type SnapshotMessage = { kind: 'snapshot'; snapshot: Snapshot }

/** A port between a server thread and a thread that it calls. */
export type ConnectMessage = { kind: 'connect'; port: MessagePort }

/** The threads that server threads call. */
export type CalledThread = 'search' | 'pictures' | 'writer'

export type ToServer =
  | {
      kind: 'start'
      config: Config
      /** Rate-limit counters, shared by all server threads. */
      windows: Int32Array<SharedArrayBuffer>
      snapshot: Snapshot
      damage: Damage
    }
  /** Sent again after the called thread was restarted. */
  | (ConnectMessage & { thread: CalledThread })
  | SnapshotMessage
  | MonthMessage
  | { kind: 'renew-tls' }
  | { kind: 'stop' }

export type FromServer =
  | FromThread
  | { kind: 'listening'; port: number; url: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }

export type ToWriter =
  | { kind: 'start'; config: Config; damage: Damage }
  /** Sent when all servers listen: scoring must not delay the start. */
  | { kind: 'score' }
  | ConnectMessage
  | { kind: 'stop' }

export type FromWriter =
  | FromThread
  | SnapshotMessage
  | MonthMessage
  /** The snapshot is up to date. */
  | { kind: 'checked' }

export type ToSearch =
  | { kind: 'start'; config: Config }
  | SnapshotMessage
  | ConnectMessage
  /** Sent when all servers listen: building the index for filters must not delay the start. */
  | { kind: 'index' }
  | { kind: 'stop' }

/** The thread is terminated, not stopped: its check blocks it. */
export type ToCheck = { config: Config; damage: Damage }

export type FromCheck = FromThread | { kind: 'checked' }

export type ToPictures = ConnectMessage | { kind: 'stop' }

export function createThreadLog(send: (message: LogMessage) => void): Log {
  const entry =
    (level: keyof Log) =>
    (message: string, fields?: Fields): void =>
      send({ kind: 'log', level, message, fields })
  return { info: entry('info'), warn: entry('warn'), error: entry('error') }
}
