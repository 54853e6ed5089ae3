import { expect, test } from 'bun:test'
import { cut } from '../../src/mcp/words.ts'

test('nothing is hidden in what strangers wrote, and what is seen stays', () => {
  const hidden = ['\u{e0041}', '\u{e0100}', '\u{e01ef}', '\ufe00', '\u200b', '\u2060', '\u2063', '\ufeff']
  for (const letter of hidden) expect(cut(`A${letter.repeat(3)}da`, 100)).toBe('Ada')
  for (const seen of ['❤️', '👩‍💻', 'می‌خواهم']) expect(cut(seen, 100)).toBe(seen)
})
