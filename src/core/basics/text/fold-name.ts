/** Letters that Unicode does not decompose. */
const PLAIN = Object.fromEntries(
  'ß=ss æ=ae œ=oe ø=o đ=d ð=d ł=l ħ=h ŧ=t ı=i ɨ=i ƶ=z þ=th ς=σ'.split(' ').map((pair) => pair.split('=')),
) as Record<string, string>
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

const FOLDED_WORD = /^[a-z0-9_-]*$/
const PLAIN_TEXT = /^[\x20-\x7e]*$/

/**
 * Accents, Hebrew and Arabic points and variation selectors. Marks that form a different letter stay: the Japanese
 * voicing marks (U+3099, U+309A) and the vowel signs of Indic scripts.
 */
const ACCENTS =
  /[[[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]&&\p{Mn}]--[\u3099\u309a]]/gv

/** Folds names and keywords for search: no case, no accents, single spaces. */
export function foldName(text: string): string {
  // Fast paths: most tags are folded words, and most names are ASCII.
  if (FOLDED_WORD.test(text)) return text
  if (PLAIN_TEXT.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim()
}

const MOST_KNOWN = 10_000
const known = new Map<string, string>()

/**
 * Folds a value that many passports have, such as a place or a tag: folding takes several times longer than a lookup.
 */
export function foldKnown(text: string): string {
  const cached = known.get(text)
  if (cached !== undefined) return cached
  if (known.size === MOST_KNOWN) known.clear()
  const folded = foldName(text)
  known.set(text, folded)
  return folded
}
