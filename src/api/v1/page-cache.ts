import type { Answer } from '../answer.ts'
import { LARGE_BODY } from '../wire/reply.ts'

/** Room for some 300 pages of the usual size; a larger body may not lie in it. */
const ROOM_BYTES = LARGE_BODY

type Kept = Answer & { body: Uint8Array }

/**
 * Pages of the list as they go out. They are made in a room that is filled again and again from its beginning, so that they leave
 * nothing behind, and are kept until their place is taken, or something changes that they show.
 */
export function createPageCache(roomBytes = ROOM_BYTES) {
  const room = Buffer.allocUnsafeSlow(roomBytes)
  let edition: object | undefined
  /** In the order of their places. */
  let pages = new Map<string, Kept>()
  let used = 0

  /** Forgets the oldest for as long as they begin there. */
  function forget(from: number, to: number): void {
    for (const [name, { body }] of pages) {
      const start = body.byteOffset - room.byteOffset
      if (start < from || start >= to) break
      pages.delete(name)
    }
  }

  return {
    /** A place for a page that is sent at once: it is good until many others were made. */
    take(length: number): Buffer {
      if (length > room.length) return Buffer.allocUnsafeSlow(length)
      if (used + length > room.length) {
        forget(used, room.length)
        used = 0
      }
      forget(used, used + length)
      used += length
      return room.subarray(used - length, used)
    },
    find(present: object | undefined, name: string): Answer | undefined {
      if (present !== edition) {
        edition = present
        pages = new Map()
      }
      return pages.get(name)
    },
    /** For the edition that `find` was last asked about. What is too large for the room is not kept. */
    keep(name: string, page: Kept): void {
      if (edition === undefined || page.body.buffer !== room.buffer) return
      pages.delete(name)
      pages.set(name, page)
    },
  }
}
