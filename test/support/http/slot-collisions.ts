import { createFixedWindow, createWindowMemory } from '../../../src/core/basics/fixed-window.ts'
import { NOON } from '../store/records.ts'

/** Finds networks of a /44 block whose counters are stored beside the counter of the client. */
export function findCollisions(client: string, window: number): string[] {
  const memory = createWindowMemory()
  const empty = memory.slice()
  const counters = createFixedWindow(() => NOON, memory)
  counters.consume(client, 1000, window)
  const slot = memory.findIndex((word, at) => word !== empty[at])
  function isTaken(): boolean {
    for (let at = Math.max(0, slot - 32); at < slot + 32; at++) if (memory[at] !== empty[at]) return true
    return false
  }
  const found: string[] = []
  memory.set(empty)
  for (let network = 0; network < 2 ** 19; network++) {
    const name = `anonymous 2001:db8:${(network >> 16).toString(16)}:${(network & 0xffff).toString(16)}::/64`
    counters.consume(name, 1000, window)
    const collides = isTaken()
    if (collides) found.push(name)
    if (collides || network % 1000 === 0) memory.set(empty)
  }
  return found
}
