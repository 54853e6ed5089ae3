export type Fields = Readonly<Record<string, string | number | boolean>>

export type Log = {
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** One line an entry: for people on a terminal, JSON elsewhere. It is never handed a key, or a caller's whole address. */
export function createLog(options: { write: (line: string) => void; json: boolean; now: () => number }): Log {
  const { write, json, now } = options

  function entry(level: string, message: string, fields: Fields = {}) {
    const time = new Date(now()).toISOString()
    if (json) return write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
    const details = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    // What follows a line end must not pass for an entry.
    write(`${[time, level, message.replaceAll('\n', '\n  '), ...details].join(' ')}\n`)
  }

  return {
    info: (message, fields) => entry('info', message, fields),
    warn: (message, fields) => entry('warn', message, fields),
    error: (message, fields) => entry('error', message, fields),
  }
}
