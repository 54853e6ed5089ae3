import { closeSync, constants, openSync, writeSync } from 'node:fs'

/** A pipe that is open and that nobody reads. */
export function openUnreadPipe(path: string): { descriptor: number } & Disposable {
  Bun.spawnSync(['mkfifo', path])
  const descriptor = openSync(path, constants.O_RDWR)
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) }
}

/** Writes to a pipe until it accepts no more. */
export function fillPipe(path: string): void {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    for (;;) writeSync(descriptor, 'x')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  } finally {
    closeSync(descriptor)
  }
}
