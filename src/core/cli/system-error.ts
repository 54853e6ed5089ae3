/** The `path` of errors that occur when standard output is written. */
export const STANDARD_OUTPUT = 'Standard output'

const READS = ['stat', 'lstat', 'read', 'scandir', 'statfs', 'access']

/**
 * Returns a sentence for an error of the file system ("EACCES: permission denied, open 'x'"), and undefined for other
 * errors.
 */
export function describeSystemError(error: unknown): string | undefined {
  const { code, syscall, path, message = '' } = (error ?? {}) as NodeJS.ErrnoException
  const reason = /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1]
  if (reason === undefined || syscall === undefined) return undefined
  const action = READS.includes(syscall) ? 'read' : syscall === 'open' ? 'opened' : 'written'
  return `${path ?? 'A file'} cannot be ${action}: ${reason} (${code}).`
}

/** Whether a reader such as `head` closed the pipe early, which is no failure. */
export function isClosedByReader(error: unknown): boolean {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException
  return code === 'EPIPE' && path === STANDARD_OUTPUT
}

/** Adds the name of the file to an error that lacks it. */
export const withPath = (error: unknown, path: string): unknown =>
  error instanceof Error ? Object.assign(error, { path }) : error
