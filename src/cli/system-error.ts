/** The `path` of an error of standard output. */
export const STANDARD_OUTPUT = 'Standard output'

/** What an error code means, and what to do if that is not obvious. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied (EACCES). Run the command as a user with access to it',
  EPERM: 'the operation is not permitted (EPERM). Run the command as a user with access to it',
  EROFS: 'the file system is read-only (EROFS)',
  ENOSPC: 'no space is left on the device (ENOSPC)',
  EDQUOT: 'the disk quota is used up (EDQUOT)',
  EFBIG: 'the file would be too large (EFBIG)',
  EISDIR: 'it is a folder (EISDIR)',
  ENOTDIR: 'a part of its path is not a folder (ENOTDIR)',
  ENOENT: 'there is no such file or folder (ENOENT)',
  ENAMETOOLONG: 'its name is too long (ENAMETOOLONG)',
  ELOOP: 'its links form a loop (ELOOP)',
  EMFILE: 'too many files are open (EMFILE). Raise the limit (ulimit -n)',
  EIO: 'the device reports an error (EIO). Check the disk',
  EPIPE: 'its reader closed it (EPIPE)',
}

const READS = ['stat', 'lstat', 'read', 'scandir', 'statfs', 'access']

/** A sentence for an error of the file system; undefined for other errors. */
export function describeSystemError(error: unknown): string | undefined {
  const { code = '', syscall, path } = (error ?? {}) as NodeJS.ErrnoException
  const reason = REASONS[code]
  if (reason === undefined || syscall === undefined) return undefined
  const action = READS.includes(syscall) ? 'read' : syscall === 'open' ? 'opened' : 'written'
  return `${path ?? 'A file'} cannot be ${action}: ${reason}.`
}

/** Whether a reader such as `head` closed the pipe early, which is no failure. */
export function isClosedByReader(error: unknown): boolean {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'EPIPE' && path === STANDARD_OUTPUT
}

/** Adds the name of the file to an error that lacks it. */
export const withPath = (error: unknown, path: string): unknown =>
  error instanceof Error ? Object.assign(error, { path }) : error
