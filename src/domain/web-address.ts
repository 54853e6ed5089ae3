const LONGEST = 1000

/** Where these stand in a header or in text, an address could end; the parser would encode some, and leave others. */
const UNFIT = /[\s\p{Cc}\p{Bidi_Control}<>"'`\\^{|}]/u

/** The address of a page, in the form that may stand in a header: http or https, and no password in it. */
export function parseWebAddress(text: string): string | undefined {
  if (text.length > LONGEST || UNFIT.test(text) || !/^https?:\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  return url.href.length <= LONGEST && !UNFIT.test(url.href) ? url.href : undefined
}
