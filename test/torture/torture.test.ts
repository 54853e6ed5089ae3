import { expect, test } from 'bun:test'
import { PARTS } from '../../torture/parts.ts'

for (const { name, what, short, run } of PARTS) {
  test(`${name}: ${what}`, async () => {
    const lines: string[] = []
    const { count, lost } = await run(short, (line) => lines.push(line))
    expect({ lost, lines: lost > 0 ? lines : [] }).toEqual({ lost: 0, lines: [] })
    expect(count).toBeGreaterThanOrEqual(short)
  }, 60_000)
}
