// What Bun can do and its types do not tell yet.
declare module 'bun' {
  interface TCPSocketListenOptions<Data = undefined> {
    reusePort?: boolean
  }
  interface SocketListener<Data = undefined> {
    /** The socket that listens. */
    readonly fd: number
  }
  /** Accepts from a socket that listens already. */
  function listen<Data = undefined>(options: FdSocketOptions<Data>): TCPSocketListener<Data>
}

export {}
