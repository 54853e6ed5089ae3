import { dlopen, ptr } from 'bun:ffi'

/** By C library: GNU's, musl's. */
const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']
const FUNCTIONS = {
  fcntl: { args: ['int', 'int', 'int'], returns: 'int' },
  close: { args: ['int'], returns: 'int' },
  listen: { args: ['int', 'int'], returns: 'int' },
  shutdown: { args: ['int', 'int'], returns: 'int' },
  setsockopt: { args: ['int', 'int', 'int', 'ptr', 'u32'], returns: 'int' },
} as const

const open = (name: string) => dlopen(name, FUNCTIONS).symbols
let opened: ReturnType<typeof open> | undefined

function library(): ReturnType<typeof open> {
  for (const name of LIBRARIES) {
    try {
      opened ??= open(name)
    } catch {}
  }
  if (!opened) throw new Error('There is no C library of Linux here.')
  return opened
}

const F_DUPFD_CLOEXEC = 1030
const SHUT_RDWR = 2
const SOL_SOCKET = 1
const SO_ATTACH_FILTER = 26

/** Another descriptor of the same thing, which lives on when the first is closed. Programs that are started do not get it. */
export function copyDescriptor(fd: number): number {
  const copy = library().fcntl(fd, F_DUPFD_CLOEXEC, 3)
  if (copy < 0) throw new Error('The system has no file descriptor left.')
  return copy
}

export function closeDescriptor(fd: number): void {
  library().close(fd)
}

/** How many may wait to be accepted; the system may allow less. */
const BACKLOG = 512

/** Has a socket with a port listen; one that does already goes on. */
export function startListening(fd: number): void {
  if (library().listen(fd, BACKLOG) < 0) throw new Error('The socket with the port cannot listen.')
}

/** The socket keeps its port, but listens no more, whoever has it: who waits in it is cut off, who comes is sent to another. */
export function stopListening(fd: number): void {
  library().shutdown(fd, SHUT_RDWR)
}

/** For the filter of packets: load the flags of the TCP header, keep SYN and ACK of them; SYN alone is dropped. */
const NO_SYN = new Uint32Array([
  ...[0x30, 13],
  ...[0x54, 0x12],
  // The high bytes are how many instructions to pass over: if it is so, if it is not.
  ...[0x15 | (0 << 16) | (1 << 24), 0x02],
  ...[0x06, 0],
  ...[0x06, 0xffffffff],
])

/**
 * Lets nobody new come to a socket that listens, whoever accepts from it. Those who are connecting already still can. To the
 * others it is as if their first packet were lost: they send it again a second later, and are refused, or find another socket.
 */
export function ignoreNewcomers(fd: number): void {
  if (process.platform !== 'linux') return
  const program = new BigUint64Array([BigInt(NO_SYN.length / 2), BigInt(ptr(NO_SYN))])
  try {
    library().setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), program.byteLength)
  } catch {
    // Another C library: newcomers are accepted for as long as the door is open, and answered.
  }
}
