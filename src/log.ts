export type Fields = Readonly<Record<string, string | number | boolean>>

export type Log = {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** Writes an entry per line: text on a terminal, JSON elsewhere. Never pass a key, or the whole address of a client. */
export function createLog(options: { write: (line: string) => void; json: boolean; now: () => number }): Log {
  const { write, json, now } = options

  function entry(level: string, message: string, fields: Fields = {}) {
    const time = new Date(now()).toISOString()
    if (json) return write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
    const details = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    // A line of a message must not look like an entry.
    write(`${[time, level, message.replaceAll('\n', '\n  '), ...details].join(' ')}\n`)
  }

  return {
    info: (message, fields) => entry('info', message, fields),
    warn: (message, fields) => entry('warn', message, fields),
    error: (message, fields) => entry('error', message, fields),
  }
}
