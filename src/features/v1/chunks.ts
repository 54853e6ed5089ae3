import type { Awaitable } from '../../core/basics/awaitable.ts'
import { CHUNK } from '../../core/lists/list-request.ts'

/** Calls `work` for each chunk of a list. The event loop runs between two chunks. */
export async function mapChunks<T, R>(
  list: readonly T[],
  work: (chunk: readonly T[], at: number) => Awaitable<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at === 0 || at < list.length; at += CHUNK) {
    if (at > 0) await new Promise(setImmediate)
    results.push(await work(list.length > CHUNK ? list.slice(at, at + CHUNK) : list, at))
  }
  return results
}
