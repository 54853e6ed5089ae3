import type { Fields, Log } from '../basics/log.ts'
import type { Config } from '../config/config.ts'
import type { Family } from '../http/prometheus-text.ts'
import type { IndexState } from '../index/calls.ts'
import type { Damage } from '../store/damage.ts'

export type StartMessage = {
  kind: 'start'
  config: Config
  windows: Int32Array<SharedArrayBuffer>
  damage: Damage
  index: IndexState
}

/** Each thread handles the messages that concern it. */
export type ToThread =
  | StartMessage
  /** A port between a server thread and the `thread` that it calls. Sent again after one of them was restarted. */
  | { kind: 'connect'; thread: string; port: MessagePort }
  /** All servers listen. Scoring begins now, so that it does not delay the start. */
  | { kind: 'started' }
  | { kind: 'renew-tls' }
  | { kind: 'stop' }

/** Every thread except the check and backup threads responds to `stop` with `stopped`. */
export type FromThread =
  /** Only the main thread writes the log. */
  | { kind: 'log'; level: keyof Log; message: string; fields?: Fields | undefined }
  | { kind: 'stopped' }
  /** From the damage thread: the check is complete. */
  | { kind: 'checked' }
  /** From the index thread: it can be called. */
  | { kind: 'indexed' }
  /** From the index thread: the index is up to date. */
  | { kind: 'current'; passports: number }
  /** From the index thread: another one should build the index, and replace this one. */
  | { kind: 'outdated' }
  | { kind: 'listening'; port: number; url: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'metrics'; families: Family[] }

export const postToMain = (message: FromThread): void => postMessage(message)

const entry =
  (level: keyof Log) =>
  (message: string, fields?: Fields): void =>
    postToMain({ kind: 'log', level, message, fields })

export const threadLog: Log = { info: entry('info'), warn: entry('warn'), error: entry('error') }
