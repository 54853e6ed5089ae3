/** Characters that wait for the reader of the log before entries are dropped. */
const LONGEST_BACKLOG = 1024 * 1024

/**
 * Writes to standard output or standard error without blocking. A log that is full, closed or stuck loses entries, but
 * it never fails or delays the request that logs.
 */
export function createLogWriter(file: Bun.BunFile): (line: string) => void {
  const sink = file.writer()
  let backlog = 0
  return (line) => {
    if (backlog > LONGEST_BACKLOG) return
    backlog += line.length
    const written = () => {
      backlog -= line.length
    }
    try {
      sink.write(line)
      Promise.resolve(sink.flush()).then(written, written)
    } catch {
      written()
    }
  }
}
