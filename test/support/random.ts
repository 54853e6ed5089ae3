export type Random = ReturnType<typeof createRandom>

/** Pseudo-random numbers, reproducible by seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const pick = <T>(from: readonly T[]): T => from[whole(0, from.length - 1)] as T

  return {
    next,
    whole,
    pick,
    chance: (share: number) => next() < share,
    /** `count` different items in random order. */
    sample<T>(from: readonly T[], count: number): T[] {
      const rest = [...from]
      return Array.from({ length: count }, () => rest.splice(whole(0, rest.length - 1), 1)[0] as T)
    },
  }
}
