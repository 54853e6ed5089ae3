import { CommandError } from '../basics/errors.ts'

type Binding = {
  host: string
  port: number
  names: { host: string; port: string }
}

/** The system may need a moment to free the port of a process that was killed. */
const RETRY_MILLISECONDS = 2000
const PAUSE_MILLISECONDS = 50

/** Calls `listen`, and retries while the port is in use. Throws a `CommandError` if the port stays unavailable. */
export async function openPort<T>({ host, port, names }: Binding, listen: () => T): Promise<T> {
  const deadline = performance.now() + RETRY_MILLISECONDS
  for (;;) {
    try {
      return listen()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE')
        throw new CommandError(
          `Cannot listen on ${host}, port ${port}: ${message}. Set ${names.host} and ${names.port}.`,
        )
      if (performance.now() >= deadline)
        throw new CommandError(`Port ${port} on ${host} is in use. Set ${names.port} to another port.`)
      await Bun.sleep(PAUSE_MILLISECONDS)
    }
  }
}

/** Graceful shutdown: requests in progress have this long to finish. */
export const DRAIN_MILLISECONDS = 5000

/** `serve` sends its database id to the process that uses the same port, which responds 412 if it has another. */
export const DATABASE_HEADER = 'X-Database-Id'
