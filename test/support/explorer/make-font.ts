/** Makes an OpenType font in which each of these characters is a square. */
export function makeFont(characters: string): Buffer {
  const points = [...characters].map((character) => character.codePointAt(0) ?? 0).sort((a, b) => a - b)
  const square = words(1, 0, 0, 800, 800, 3, 0, 0x101, 0x101, 0, 800, 0, -800, 0, 0, 800, 0)
  const tables = {
    cmap: Buffer.concat([words(0, 1, 3, 10, 0, 12), mapOf(points)]),
    glyf: square,
    loca: longs(0, 0, square.length),
    head: Buffer.concat([
      longs(0x10000, 0, 0, 0x5f0f3cf5),
      words(0, 1000, ...UNUSED, 0, 0, 800, 800, 0, 8, 2, 1, 0),
    ]),
    hhea: words(1, 0, 800, -200, 0, 1000, ...UNUSED, 0, 0, 0, 2),
    hmtx: words(1000, 0, 1000, 0),
    maxp: words(0, 0x5000, 2),
    // The family name and the PostScript name.
    name: Buffer.concat([words(0, 2, 30, 3, 1, 0x409, 1, 2, 0, 3, 1, 0x409, 6, 2, 0), Buffer.from('\0T')]),
  }
  const entries = Object.entries(tables)
  let offset = 12 + 16 * entries.length
  const list = entries.map(([tag, { length }]) => {
    offset += length
    return Buffer.concat([Buffer.from(tag), longs(0, offset - length, length)])
  })
  return Buffer.concat([words(1, 0, entries.length, 0, 0, 0), ...list, ...entries.map(([, bytes]) => bytes)])
}

/** Times and reserved fields. */
const UNUSED = [0, 0, 0, 0, 0, 0, 0, 0]

const words = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer).swap16()
const longs = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer).swap32()

const mapOf = (points: number[]) =>
  Buffer.concat([words(12, 0), longs(0, 0, points.length), ...points.map((point) => longs(point, point, 1))])
