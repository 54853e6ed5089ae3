const LONGEST = 1000

/** The address of a page, in the form that may stand in a header: http or https, and no password in it. */
export function parseWebAddress(text: string): string | undefined {
  if (text.length > LONGEST || /[\s\p{Cc}]/u.test(text) || !/^https?:\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return undefined
  // The parser leaves these in some places, where they could end an address in a header or in text.
  return /[<>"'`\\^{|}]/.test(url.href) || url.href.length > LONGEST ? undefined : url.href
}
