import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'

/** For those that nobody closes. */
const closing = new FinalizationRegistry<number>(closeSync)

/**
 * A file without a name, which is gone when it is closed. What is large and seldom looked at lies here, not in
 * JavaScript's heap: the more that holds, the more waste it lets come together before it looks for any.
 */
export function createHiddenFile(prefix: string) {
  // One that was killed before it took the name away must not be in the way of whoever has its process id next.
  const path = `${prefix}-${crypto.randomUUID()}`
  let file: number | undefined = openSync(path, 'wx+', 0o600)
  unlinkSync(path)

  /** The number of a file that is closed may be another's by now. */
  function number(): number {
    if (file === undefined) throw new Error('The file is closed.')
    return file
  }

  const hidden = {
    write(bytes: Uint8Array, start: number): void {
      for (let at = 0; at < bytes.length; )
        at += writeSync(number(), bytes, at, bytes.length - at, start + at)
    },
    /** Tells how many bytes there were; throws where these are fewer than must be there. */
    read(into: Uint8Array, start: number, least = into.length): number {
      const count = readSync(number(), into, 0, into.length, start)
      if (count < least) throw new Error(`Of ${least} bytes that were written, ${count} are there.`)
      return count
    },
    close(): void {
      if (file === undefined) return
      closing.unregister(hidden)
      closeSync(file)
      file = undefined
    },
  }
  closing.register(hidden, file, hidden)
  return hidden
}

export type HiddenFile = ReturnType<typeof createHiddenFile>
