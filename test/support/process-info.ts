import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export function childrenOf(pid: number): number[] {
  return list(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((text) => text !== '')
    .map(Number)
}

export const isAlive = (pid: number): boolean => !['', 'Z'].includes(stateOf(pid))

export const parentOf = (pid: number) => Number(/\) \w (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1])

// The process name is in parentheses and may contain anything.
const stateOf = (pid: number) => /\) (\w)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? ''

const STATES = { LISTEN: '0A', ESTABLISHED: '01' }

/** Returns the sockets with the local port `port`: their names in /proc and their remote ports. */
function listSockets(port: number, state: keyof typeof STATES) {
  return read('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , code]) => code === STATES[state] && portIn(local) === port)
    .map((columns) => ({ name: `socket:[${columns[9]}]`, from: portIn(columns[2]) }))
}

const portIn = (address: string | undefined) => Number(`0x${address?.split(':')[1]}`)

/** Returns the number of sockets with the local port `port` for each process that has any. */
export function socketsOf(pids: readonly number[], port: number, state: keyof typeof STATES) {
  const inodes = new Set(listSockets(port, state).map(({ name }) => name))
  const held = pids.map((pid) => [
    pid,
    list(`/proc/${pid}/fd`).filter((fd) => inodes.has(linkOf(pid, fd))).length,
  ])
  return new Map(held.filter(([, count]) => count !== 0) as [number, number][])
}

/** Returns `nothing` if `look` fails: the process may have ended meanwhile. */
function orNothing<T>(look: () => T, nothing: T): T {
  try {
    return look()
  } catch {
    return nothing
  }
}

const read = (path: string) => orNothing(() => readFileSync(path, 'utf8'), '').trim()
const list = (path: string) => orNothing(() => readdirSync(path), [])
const linkOf = (pid: number, fd: string) => orNothing(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')
