import { closeSync, cpSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../test/support/temp.ts'

/** Runs a program in which more is mounted than elsewhere: nothing of it is left when the program has ended. */
const UNSHARE = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-rm']
const ENTER = process.getuid?.() === 0 ? ['nsenter', '-m'] : ['nsenter', '-U', '--preserve-credentials', '-m']

/** Whether this machine lets us. */
export const canMount =
  process.platform === 'linux' &&
  Bun.which('unshare') !== null &&
  Bun.which('nsenter') !== null &&
  Bun.spawnSync([...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).exitCode === 0

/** For a program to which the folder can only be read. */
export const withReadOnly = (folder: string): string[] => [
  ...UNSHARE,
  'sh',
  '-c',
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"',
  folder,
]

/** A folder in which room can be made scarce. */
export type Disk = Disposable & {
  /** As commands that run within it know it. */
  path: string
  within(): string[]
  /** As others know it; not for SQLite, which would look for it in the wrong place. */
  outside: string
  /** Leaves so many bytes, also to a process that runs. */
  fill(left: number, pid?: number): void
  clear(pid?: number): void
  /** Whether the system tells how much room there is. */
  isSeen: boolean
}

const MIB = 1024 * 1024

/** A small file system of its own. */
export async function makeSmallDisk(bytes = 32 * MIB): Promise<Disk> {
  const folder = tempFolder()
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo && exec cat`
  const holder = Bun.spawn([...UNSHARE, 'sh', '-c', mount, folder.path], {
    // It ends with us.
    stdin: 'pipe',
    stdout: 'pipe',
  })
  await holder.stdout.getReader().read()
  const outside = `/proc/${holder.pid}/root${folder.path}`
  const ballast = join(outside, 'ballast')
  return {
    path: folder.path,
    isSeen: true,
    outside,
    within: () => [...ENTER, '-t', String(holder.pid), 'sh', '-c', `cd "$0" && exec "$@"`, folder.path],
    fill(left) {
      const reserve = join(outside, 'reserve')
      writeFileSync(reserve, Buffer.alloc(left))
      writeUntilFull(ballast)
      rmSync(reserve)
    },
    clear: () => rmSync(ballast),
    [Symbol.dispose]() {
      holder.kill('SIGKILL')
      folder[Symbol.dispose]()
    },
  }
}

/** A limit on the length of files, which every user may set: nothing is written beyond, not even in files that are longer already. */
export function makeLimitedFolder(): Disk {
  const folder = tempFolder()
  let blocks = 'unlimited'
  return {
    path: folder.path,
    isSeen: false,
    outside: folder.path,
    within: () => ['sh', '-c', 'ulimit -S -f "$0" && exec "$@"', blocks],
    fill(left, pid) {
      blocks = String(Math.ceil(left / 512))
      if (pid !== undefined) limit(pid, String(left))
    },
    clear(pid) {
      blocks = 'unlimited'
      if (pid !== undefined) limit(pid, 'unlimited')
    },
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

/** Where there can be a file system, it and the limit in turn. */
export const makeDisk = async (turn: number): Promise<Disk> =>
  canMount && turn % 2 === 0 ? makeSmallDisk() : makeLimitedFolder()

function limit(pid: number, bytes: string): void {
  Bun.spawnSync(['prlimit', '--pid', String(pid), `--fsize=${bytes}:`])
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let size = MIB; size >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size /= 2
      } catch {
        size = Math.floor(size / 2)
      }
    }
  } finally {
    closeSync(file)
  }
}

/** Copies what is on a disk, for whoever wants to open it. */
export const takeOut = ({ outside }: Disk, to: string): void =>
  cpSync(outside, to, { recursive: true, filter: (path) => !path.endsWith('ballast') })
