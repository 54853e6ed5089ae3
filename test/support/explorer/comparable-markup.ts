/** Elements beside which white space is not visible. Styles may change that, which only a comparison of layouts shows. */
const BLOCKS =
  'address|article|aside|body|circle|col|colgroup|dd|details|div|dl|dt|fieldset|footer|form|g|h[1-6]|head|header|html' +
  '|input|label|legend|li|line|link|main|meta|nav|noscript|ol|option|p|path|pre|rect|script|search|section|style|summary|svg|table' +
  '|tbody|td|template|text|textarea|tfoot|th|thead|title|tr|ul|use'

const BESIDE_BLOCKS = new RegExp(` ?(</?(?:${BLOCKS})(?: [^>]*)?>) ?`, 'g')

const KEPT = /(<(?:pre|textarea)[ >][\s\S]*?<\/(?:pre|textarea)>)/

/** The markup of a page without white space that is not visible, and without hashes of assets. */
export const toComparable = (markup: string): string =>
  markup
    .replace(/(\/assets\/[\w-]+)\.\w+\./g, '$1.')
    .split(KEPT)
    .map((part, at) => (at % 2 === 0 ? withoutInvisibleSpace(part) : part))
    .join('')

const withoutInvisibleSpace = (markup: string): string =>
  markup.replace(/\s+/g, ' ').replace(/ >/g, '>').replace(BESIDE_BLOCKS, '$1')

/** Returns the first difference of two texts, with what precedes it; undefined if they are equal. */
export function findDifference(before: string, after: string): string | undefined {
  if (before === after) return undefined
  let start = 0
  while (before[start] === after[start]) start++
  const cut = (text: string) => text.slice(Math.max(0, start - 60), start + 90)
  return `- ${cut(before)}\n+ ${cut(after)}`
}
