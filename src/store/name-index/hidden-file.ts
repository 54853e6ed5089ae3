import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'

const closing = new FinalizationRegistry<number>(closeSync)

/**
 * A file without a name, which is gone when nobody holds it any more. What is large and seldom looked at lies here, not in
 * JavaScript's heap: the more that holds, the more waste it lets come together before it looks for any.
 */
export function createHiddenFile(path: string) {
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  const hidden = {
    write(bytes: Uint8Array, start: number): void {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, start + at)
    },
    /** Tells how many bytes there were. */
    read: (into: Uint8Array, start: number): number => readSync(file, into, 0, into.length, start),
  }
  closing.register(hidden, file)
  return hidden
}

export type HiddenFile = ReturnType<typeof createHiddenFile>
