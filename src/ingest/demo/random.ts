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

  function hex(digits: number): string {
    let text = ''
    for (let digit = 0; digit < digits; digit++) text += '0123456789abcdef'[whole(0, 15)]
    return text
  }

  return {
    next,
    whole,
    pick,
    hex,
    chance: (share: number) => next() < share,
    /** `count` different items in random order. */
    sample<T>(from: readonly T[], count: number): T[] {
      const rest = [...from]
      return Array.from({ length: count }, () => rest.splice(whole(0, rest.length - 1), 1)[0] as T)
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`,
  }
}
