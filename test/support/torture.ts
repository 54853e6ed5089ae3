import { expect, test } from 'bun:test'
import { PARTS } from '../../torture/parts.ts'

/** Over how many files of tests the parts are spread, so that these can run side by side. */
const FILES = 3

/** The short form of each part that falls to a file. */
export function testParts(file: number): void {
  for (const { name, what, short, run } of PARTS.filter((_, at) => at % FILES === file)) {
    test(`${name}: ${what}`, async () => {
      const lines: string[] = []
      const { count, lost } = await run(short, (line) => lines.push(line))
      expect({ lost, lines: lost > 0 ? lines : [] }).toEqual({ lost: 0, lines: [] })
      expect(count).toBeGreaterThanOrEqual(short)
    }, 60_000)
  }
}
