import { CommandError } from '../domain/errors.ts'

type Binding = {
  host: string
  port: number
  /** The settings to name in an error. */
  names: { host: string; port: string }
}

/** Calls `listen`; if the port is not available, throws a `CommandError`. */
export function openPort<T>({ host, port, names }: Binding, listen: () => T): T {
  try {
    return listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use. Set ${names.port} to another port.`
        : `Cannot listen on ${host}, port ${port}: ${message}. Set ${names.host} and ${names.port}.`,
    )
  }
}

export const urlOf = (host: string, port: number, scheme = 'http') =>
  new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`)

/** Graceful shutdown: requests in progress have this long to finish. */
export const DRAIN_MILLISECONDS = 5000
