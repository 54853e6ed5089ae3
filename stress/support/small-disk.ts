import { closeSync, cpSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'

/** Each command gets its own mount namespace, so that nothing stays mounted when it exits. */
const UNSHARE = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-rm']
const ENTER = process.getuid?.() === 0 ? ['nsenter', '-m'] : ['nsenter', '-U', '--preserve-credentials', '-m']

/** Whether this machine permits mounts in a new namespace. */
export const canMount =
  process.platform === 'linux' &&
  Bun.which('unshare') !== null &&
  Bun.which('nsenter') !== null &&
  Bun.spawnSync([...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).exitCode === 0

/** Returns a wrapper that makes the folder read-only for a command. */
export const withReadOnly = (folder: string): string[] => [
  ...UNSHARE,
  'sh',
  '-c',
  'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"',
  folder,
]

/** A folder with limited space. */
export type Disk = Disposable & {
  /** The path for commands that `wrapper` runs. */
  path: string
  wrapper(): string[]
  /** The path for other programs. Do not open SQLite databases by this path: paths differ between the namespaces. */
  outside: string
  /** Leaves only `left` bytes of free space, also for the running process `pid`. */
  fill(left: number, pid?: number): void
  clear(pid?: number): void
  /** Whether the operating system reports the free space. */
  reportsSpace: boolean
}

const MIB = 1024 * 1024

/** A small tmpfs. */
async function makeSmallDisk(bytes = 32 * MIB): Promise<Disk> {
  const folder = tempFolder()
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs "$0" && echo && exec cat`
  const holder = Bun.spawn([...UNSHARE, 'sh', '-c', mount, folder.path], {
    // `cat` keeps the namespace open, and ends with this process.
    stdin: 'pipe',
    stdout: 'pipe',
  })
  await holder.stdout.getReader().read()
  const outside = `/proc/${holder.pid}/root${folder.path}`
  const ballast = join(outside, 'ballast')
  return {
    path: folder.path,
    reportsSpace: true,
    outside,
    wrapper: () => [...ENTER, '-t', String(holder.pid), 'sh', '-c', `cd "$0" && exec "$@"`, folder.path],
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

/** A folder with a limit on the file size, which needs no privileges. */
function makeLimitedFolder(): Disk {
  const folder = tempFolder()
  let blocks = 'unlimited'
  return {
    path: folder.path,
    reportsSpace: false,
    outside: folder.path,
    wrapper: () => ['sh', '-c', 'ulimit -S -f "$0" && exec "$@"', blocks],
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

/** Alternates between a tmpfs and a file size limit. If mounts are not permitted, always uses the limit. */
export const makeDisk = async (round: number): Promise<Disk> =>
  canMount && round % 2 === 0 ? makeSmallDisk() : makeLimitedFolder()

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

export const copyFrom = ({ outside }: Disk, to: string): void =>
  cpSync(outside, to, { recursive: true, filter: (path) => !path.endsWith('ballast') })

/** Returns the options of a command whose database is on the disk. */
export const optionsOn = ({ path, wrapper }: Disk, name: string) => ({
  cwd: path,
  database: join(path, name),
  wrapper: wrapper(),
})
