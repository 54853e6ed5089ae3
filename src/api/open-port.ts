import { CommandError } from '../domain/errors.ts'

type Wanted = {
  host: string
  port: number
  /** The settings that name them. */
  names: { host: string; port: string }
}

/** Lets a server listen; a port that cannot be had is a `CommandError`. */
export function openPort<T>({ host, port, names }: Wanted, listen: () => T): T {
  try {
    return listen()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use: set ${names.port} to another one.`
        : `Cannot listen on ${host}, port ${port}: ${message}. Set ${names.host} and ${names.port}.`,
    )
  }
}

export const urlOf = (host: string, port: number, scheme = 'http') =>
  new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/`)

/** How long requests under way have to finish; one that never ends must not keep the process. */
export const DRAIN_MILLISECONDS = 5000
