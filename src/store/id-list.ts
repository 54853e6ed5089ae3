import type { Ids } from './order.ts'

/** The largest id that four bytes hold. */
const LARGEST = 2 ** 32 - 1

/** Collects ids whose number is not known; `expected` is about how many there will be. */
export function createIdList(expected: number) {
  let ids: Ids = new Uint32Array(expected + (expected >> 5) + 1024)
  let count = 0

  function enlarge(): void {
    const larger = ids instanceof Uint32Array ? new Uint32Array(count * 2) : new Float64Array(count * 2)
    larger.set(ids)
    ids = larger
  }

  return {
    add(id: number): void {
      if (count === ids.length) enlarge()
      if (id > LARGEST && ids instanceof Uint32Array) ids = Float64Array.from(ids)
      ids[count++] = id
    },
    end: (): Ids => ids.subarray(0, count),
  }
}
