import fc from 'fast-check'

/** Any Unicode character. The unit `binary` of fast-check is the same, but needs a second to start. */
export const unicodeCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code).toWellFormed())
