import { openPort } from '../api/open-port.ts'
import { closeDescriptor, copyDescriptor, ignoreNewcomers, stopListening } from './descriptors.ts'

/**
 * One of several sockets on a port, between which Linux shares connections out. It is held by the parent of those who accept
 * from it, one after the other: when one goes in peace, whoever waits in it is left to the next.
 */
export type Door = {
  fd: number
  /** For when nobody is there to accept: newcomers get to other doors, until a worker opens it again. */
  shut(): void
  /** For good: who waits in it, or is connecting, is left to the worker. */
  leave(): void
}

/** Doors that are shut as yet. A port that cannot be had is a `CommandError`. */
export function createDoors({ host, port }: { host: string; port: number }, count: number) {
  const names = { host: 'HOST', port: 'PORT' }
  const bind = (port: number, reusePort: boolean) =>
    openPort({ host, port, names }, () => bindSocket({ hostname: host, port, reusePort }))
  // Had alone first: no other server is on it, and its number is known.
  const alone = bind(port, false)
  closeDescriptor(alone.fd)
  const doors = Array.from({ length: count }, () => createDoor(bind(alone.port, true).fd))
  return { port: alone.port, doors }
}

function createDoor(fd: number): Door {
  return {
    fd,
    shut: () => stopListening(fd),
    leave() {
      ignoreNewcomers(fd)
      closeDescriptor(fd)
    },
  }
}

/** A socket that has a port and does not listen. */
function bindSocket(address: { hostname: string; port: number; reusePort: boolean }) {
  const listener = Bun.listen({ ...address, socket: { data: () => undefined } })
  const { port } = listener
  const fd = copyDescriptor(listener.fd)
  listener.stop()
  stopListening(fd)
  return { port, fd }
}
