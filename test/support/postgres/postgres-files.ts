import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../temp-folder.ts'

/** PostgreSQL refuses to run as root, so root starts it as this user. */
export const OWNER = process.getuid?.() === 0 ? findOwner() : undefined

function findOwner() {
  const [, uid = '65534', gid = '65534'] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * When this process ends, even by a kill, the standard input of the guard ends. The guard then stops the server in
 * `data` and deletes the folder. SIGCONT is for a frozen server.
 */
const GUARD = `cat
  if pid=$(head -n 1 "$1/data/postmaster.pid"); then
    kill -QUIT $pid; kill -CONT $pid; tries=0
    while [ -e "$1/data/postmaster.pid" ] && [ $((tries += 1)) -lt 1000 ]; do sleep 0.02; done
  fi
  while [ -e "$1" ]; do rm -rf "$1" || sleep 0.1; done`

/** A temporary folder that belongs to `OWNER`. It is deleted when this process ends, if not before. */
export function guardedFolder() {
  const folder = tempFolder()
  own(folder.path)
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', folder.path], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return {
    path: folder.path,
    [Symbol.dispose]() {
      folder[Symbol.dispose]()
      guard.stdin?.end()
    },
  }
}

export function writeOwned(path: string, text: string): void {
  writeFileSync(path, text)
  own(path)
}

/** Copies a folder that may change meanwhile; files that vanish are left out. */
export function copyOwned(
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean = () => false,
): void {
  mkdirSync(to)
  chmodSync(to, 0o700)
  own(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (isLeftOut(source)) continue
    unlessGone(() => {
      if (entry.isDirectory()) return copyOwned(source, target, isLeftOut)
      if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
      else copyFileSync(source, target)
      own(target)
    })
  }
}

export function own(path: string): void {
  if (OWNER) lchownSync(path, OWNER.uid, OWNER.gid)
}

function unlessGone(work: () => void): void {
  try {
    work()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
  }
}
