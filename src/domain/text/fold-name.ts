/** Letters that carry their accent inside: Unicode does not take them apart. */
const PLAIN = Object.fromEntries(
  'ß=ss æ=ae œ=oe ø=o đ=d ð=d ł=l ħ=h ŧ=t ı=i ɨ=i ƶ=z þ=th ς=σ'.split(' ').map((pair) => pair.split('=')),
) as Record<string, string>
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')

const PLAIN_TEXT = /^[\x20-\x7e]*$/

/**
 * Accents, Hebrew and Arabic points and variation selectors, but not marks that make another letter:
 * the Japanese voicing marks (U+3099, U+309A) and the vowel signs of Indic scripts stay.
 */
const ACCENTS =
  /[[[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}]&&\p{Mn}]--[\u3099\u309a]]/gv

/**
 * The spelling in which names are stored for search and keywords are looked up: no case, no accents,
 * single spaces. Two texts that a person would call the same name fold to the same text.
 */
export function foldName(text: string): string {
  // Nothing to take apart: this is quicker, and most names are so.
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
