import type { Font } from '../../features/pictures/fonts-folder.ts'
import type { Fields, Log } from '../basics/log.ts'
import type { Config } from '../config/config.ts'
import type { Family } from '../http/prometheus-text.ts'
import type { Snapshot } from '../index/snapshot.ts'
import type { Damage } from '../store/damage.ts'

/** The threads that server threads call. */
export type CalledThread = 'search-thread' | 'picture-thread' | 'writer-thread'

/** Messages of the writer thread, which the main thread forwards to the search thread and the server threads. */
type Published =
  | { kind: 'snapshot'; snapshot: Snapshot }
  /** The number of requests of each key in the month, as stored on `day`. */
  | { kind: 'month'; day: string; sums: ReadonlyMap<string, number> }

export type StartMessage = {
  kind: 'start'
  config: Config
  /** Rate-limit counters, shared by all server threads. */
  windows: Int32Array<SharedArrayBuffer>
  damage: Damage
  fonts?: readonly Font[] | undefined
  snapshot: Snapshot | undefined
}

/** Each thread handles the messages that concern it. */
export type ToThread =
  | StartMessage
  | Published
  /** A port between a server thread and a thread that it calls. Sent again after one of them was restarted. */
  | { kind: 'connect'; thread: CalledThread; port: MessagePort }
  /** All servers listen. Scoring and indexing begin now, so that they do not delay the start. */
  | { kind: 'started' }
  | { kind: 'renew-tls' }
  | { kind: 'stop' }

/** Every thread except the check and backup threads responds to `stop` with `stopped`. */
export type FromThread =
  /** Only the main thread writes the log. */
  | { kind: 'log'; level: keyof Log; message: string; fields?: Fields | undefined }
  | { kind: 'stopped' }
  | Published
  /** From the writer thread: the snapshot is up to date. From the damage thread: the check is complete. */
  | { kind: 'checked' }
  /** From the writer thread: there are subscriptions, so the delivery thread is needed. */
  | { kind: 'subscribed' }
  | { kind: 'listening'; port: number; url: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }

/** Sends a message to the main thread. */
export const send = (message: FromThread): void => postMessage(message)

const entry =
  (level: keyof Log) =>
  (message: string, fields?: Fields): void =>
    send({ kind: 'log', level, message, fields })

/** A log whose entries the main thread writes. */
export const threadLog: Log = { info: entry('info'), warn: entry('warn'), error: entry('error') }
